import type { ZooKeeperClient } from '../../client/base/client.js';
import { UnsupportedError, ZooKeeperError } from '../../client/base/errors.js';
import type { ACL, ClientInfo } from '../../protocol/data.js';
import { matchesIp } from '../../protocol/ip-address.js';
import { formatAcl, Perms } from '../../protocol/perms.js';
import { CommandError } from '../program/command-error.js';

/** @throws CommandError LOCKOUT if the session could not change the ACL again */
export async function refuseLockout(
  client: ZooKeeperClient,
  path: string,
  acl: readonly ACL[],
): Promise<void> {
  const admins = acl.filter(({ perms }) => (perms & Perms.ADMIN) !== 0);
  if (admins.some(({ id }) => id.scheme === 'world')) return;
  const identities = await identitiesOf(client);
  const isOwn = ({ id: { scheme, id } }: ACL) =>
    identities === undefined ||
    identities.some(({ authScheme, user }) => matchesIdentity(scheme, id, authScheme, user));
  const isSuper = identities?.some(({ authScheme }) => authScheme === 'super') ?? false;
  if (isSuper || admins.some(isOwn)) return;
  throw new CommandError(
    `with ${formatAcl(acl)} this session could not change the ACL of ${path} again`,
    {
      code: 'LOCKOUT',
      path,
      hint: 'grant a(dmin) to an id of this session (see whoami), or add --force',
    },
  );
}

/** The most specific id of this session. */
export async function ownId(client: ZooKeeperClient): Promise<ACL['id']> {
  const identities = (await identitiesOf(client)) ?? [];
  if (identities.some(({ authScheme }) => PROVEN.has(authScheme)))
    return { scheme: 'auth', id: '' };
  const address = identities.find(({ authScheme }) => authScheme === 'ip');
  return address === undefined ? ANYONE : { scheme: 'ip', id: address.user };
}

const ANYONE = { scheme: 'world', id: 'anyone' } as const;
/** The schemes that an `auth` entry expands to. */
const PROVEN: ReadonlySet<string> = new Set(['digest', 'sasl', 'x509']);

/** Undefined if the server does not report them, as before 3.7. */
async function identitiesOf(client: ZooKeeperClient): Promise<readonly ClientInfo[] | undefined> {
  try {
    return await client.whoAmI();
  } catch (error) {
    if (error instanceof UnsupportedError) return undefined;
    if (error instanceof ZooKeeperError && error.code === 'UNIMPLEMENTED') return undefined;
    throw error;
  }
}

/** A server reports the user of a digest without its password. */
function matchesIdentity(scheme: string, id: string, authScheme: string, user: string): boolean {
  // An address does not prove an identity.
  if (scheme === 'auth') return authScheme !== 'ip';
  if (scheme !== authScheme) return false;
  if (scheme === 'ip') return matchesIp(user, id);
  return scheme === 'digest' ? id.split(':')[0] === user.split(':')[0] : id === user;
}
