import type { ACL } from '../../protocol/data.js';
import { Perms } from '../../protocol/perms.js';
import type { Auth } from '../session/auth.js';
import { type AdminResult, failure } from './command.js';

const EVERY_PERM = [Perms.READ, Perms.WRITE, Perms.CREATE, Perms.DELETE, Perms.ADMIN];
const UNAUTHORIZED = 401;
const FORBIDDEN = 403;

/**
 * May whoever sent this `Authorization` header (`digest user:password`) take the whole tree away or
 * put another in its place? Asks for each permission on "/", where Apache's is content with any.
 *
 * @param rootAcl the ACL of "/"
 * @returns the refusal, or undefined
 */
export function refuseUnauthorized(
  auth: Auth,
  rootAcl: readonly ACL[],
  header: string | undefined,
  remoteIp: string,
): AdminResult | undefined {
  if (header === undefined) {
    return failure('Auth info is missing for the command', UNAUTHORIZED);
  }
  const [scheme = '', data, ...more] = header.split(' ');
  if (data === undefined || more.length > 0) {
    return failure(
      'Auth info is not valid: expected "Authorization: digest user:password"',
      UNAUTHORIZED,
    );
  }
  const ids = auth.authenticate(scheme, Buffer.from(data, 'utf8'), remoteIp);
  if (ids === undefined) return failure('Not authenticated', UNAUTHORIZED);
  const isAllowed = EVERY_PERM.every((perm) => auth.isAllowed(rootAcl, perm, ids));
  return isAllowed ? undefined : failure('Not authorized', FORBIDDEN);
}
