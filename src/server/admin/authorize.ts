import type { ACL, Id } from '../../protocol/data.js';
import { Perms } from '../../protocol/perms.js';
import type { Auth } from '../session/auth.js';
import { type AdminResult, failure } from './command.js';

const EVERY_PERM = [Perms.READ, Perms.WRITE, Perms.CREATE, Perms.DELETE, Perms.ADMIN];
const UNAUTHORIZED = 401;
const FORBIDDEN = 403;

export interface Requester {
  /** `Authorization: digest user:password`, `ip`, or `x509`. */
  readonly header: string | undefined;
  readonly remoteIp: string;
  /** The subject of its accepted TLS certificate. */
  readonly certificateSubject: string | undefined;
}

/** The connection itself provides the id of these schemes. */
const SPOKEN_FOR: ReadonlySet<string> = new Set(['ip', 'x509']);

/**
 * Returns a refusal without every permission on "/"; for Apache's server, any one suffices.
 * @param isForAnyone whether permissions count that everyone has
 */
export function refuseUnauthorized(
  auth: Auth,
  rootAcl: readonly ACL[],
  { header, remoteIp, certificateSubject }: Requester,
  isForAnyone: boolean,
): AdminResult | undefined {
  if (header === undefined) {
    return failure('Auth info is missing for the command', UNAUTHORIZED);
  }
  const [scheme = '', data, ...more] = header.split(' ');
  if ((data === undefined && !SPOKEN_FOR.has(scheme)) || more.length > 0) {
    return failure(
      'Auth info is not valid: expected "Authorization: digest user:password", "ip" or "x509"',
      UNAUTHORIZED,
    );
  }
  const ids = idsOf(auth, scheme, data ?? '', { header, remoteIp, certificateSubject });
  if (ids === undefined) return failure('Not authenticated', UNAUTHORIZED);
  const isAllowed = EVERY_PERM.every((perm) => auth.isAllowed(rootAcl, perm, ids));
  if (!isAllowed) return failure('Not authorized', FORBIDDEN);
  if (isForAnyone || auth.isNamed(rootAcl, EVERY_PERM, ids)) return undefined;
  return failure(
    'Not authorized: the ACL of / allows it to anyone: add an entry of yours to it, or set admin.anyoneMayTransfer=true',
    FORBIDDEN,
  );
}

function idsOf(
  auth: Auth,
  scheme: string,
  data: string,
  { remoteIp, certificateSubject }: Requester,
): readonly Id[] | undefined {
  const own = certificateSubject === undefined ? [] : auth.certificateIds(certificateSubject);
  const ids = auth.authenticate(scheme, Buffer.from(data, 'utf8'), remoteIp, own);
  // The certificate of the superuser also counts here.
  return scheme === 'x509' && ids !== undefined ? own : ids;
}
