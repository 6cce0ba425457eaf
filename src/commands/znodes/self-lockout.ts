import type { ZooKeeperClient } from '../../client/client.js';
import { UnsupportedError, ZooKeeperError } from '../../client/errors.js';
import type { ACL, ClientInfo } from '../../protocol/data.js';
import { matchesIp } from '../../protocol/ip-address.js';
import { Perms } from '../../protocol/perms.js';
import { CommandError } from '../program/command-error.js';
import { formatAcl } from './parse-acl.js';

/**
 * Refuses an ACL under which this session could never change the ACL again.
 * @throws CommandError LOCKOUT
 */
export async function refuseLockout(
  client: ZooKeeperClient,
  path: string,
  acl: readonly ACL[],
): Promise<void> {
  const admins = acl.filter(({ perms }) => (perms & Perms.ADMIN) !== 0);
  if (admins.some(({ id }) => id.scheme === 'world')) return;
  const identities = await identitiesOf(client);
  const isMine = ({ id: { scheme, id } }: ACL) =>
    identities === undefined ||
    identities.some(({ authScheme, user }) => isMeant(scheme, id, authScheme, user));
  const isSuper = identities?.some(({ authScheme }) => authScheme === 'super') ?? false;
  if (isSuper || admins.some(isMine)) return;
  throw new CommandError(
    `with ${formatAcl(acl)} this session could not change the ACL of ${path} again`,
    {
      code: 'LOCKOUT',
      path,
      hint: 'give a(dmin) to an id of yours (whoami shows them), or say --force',
    },
  );
}

/**
 * An id that this session has and as few others as can be; for an entry that it needs for a while.
 */
export async function ownId(client: ZooKeeperClient): Promise<ACL['id']> {
  const identities = (await identitiesOf(client)) ?? [];
  if (identities.some(({ authScheme }) => PROVEN.has(authScheme)))
    return { scheme: 'auth', id: '' };
  const address = identities.find(({ authScheme }) => authScheme === 'ip');
  return address === undefined ? ANYONE : { scheme: 'ip', id: address.user };
}

const ANYONE = { scheme: 'world', id: 'anyone' } as const;
/** The schemes that an `auth` entry is made of. */
const PROVEN: ReadonlySet<string> = new Set(['digest', 'sasl', 'x509']);

/** Undefined where the server does not say: before 3.7, and through the native client. */
async function identitiesOf(client: ZooKeeperClient): Promise<readonly ClientInfo[] | undefined> {
  try {
    return await client.whoAmI();
  } catch (error) {
    if (error instanceof UnsupportedError) return undefined;
    if (error instanceof ZooKeeperError && error.code === 'UNIMPLEMENTED') return undefined;
    throw error;
  }
}

/** Does an entry mean this identity? A server shows a digest's user without its password. */
function isMeant(scheme: string, id: string, authScheme: string, user: string): boolean {
  // The address is granted to whoever has it.
  if (scheme === 'auth') return authScheme !== 'ip';
  if (scheme !== authScheme) return false;
  if (scheme === 'ip') return matchesIp(user, id);
  return scheme === 'digest' ? id.split(':')[0] === user.split(':')[0] : id === user;
}
