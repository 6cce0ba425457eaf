/**
 * The identity of a connection and the access that an ACL grants it. Rules: docs/protocol.md,
 * Access (PrepRequestProcessor fixupACL, ZooKeeperServer checkACL, authentication providers).
 */
import type { ACL, Id } from '../../protocol/data.js';
import { equalTexts } from '../../protocol/equal-bytes.js';
import { ErrorCode } from '../../protocol/error-code.js';
import { matchesIp, parseIpRange } from '../../protocol/ip-address.js';
import { OPEN_ACL_UNSAFE, Perms } from '../../protocol/perms.js';
import type { SaslExchange } from '../../protocol/sasl-step.js';
import { LIMITS } from '../limits/limits.js';
import { Work } from '../limits/work.js';
import { AclGrants, type IdMatcher } from './acl-grants.js';
import { isDistinguishedName } from './distinguished-name.js';

/** Passed in, because the pure part of the server has no crypto library. */
export type HashBase64 = (text: string) => string;

interface AuthProvider extends IdMatcher {
  /** Whether ids of this scheme expand `auth` entries. */
  readonly isAuthenticated: boolean;
  isValid(id: string): boolean;
}

export interface AuthOptions {
  readonly hash: HashBase64;
  /** `super:base64` of DigestAuthenticationProvider.superDigest. */
  readonly superDigest?: string | undefined;
  /** X509AuthenticationProvider.superUser: the subject of a certificate. */
  readonly x509SuperUser?: string | undefined;
  /** skipACL=yes: everything is allowed. */
  readonly isAclSkipped?: boolean;
  /** Some of `ip`, `digest`, `x509`, `sasl`, and `ensemble`. Default: the first three. */
  readonly schemes?: ReadonlySet<string>;
  /** Begins an exchange. Default: no SASL, and a token is answered with an empty one. */
  readonly startSasl?: (() => SaslExchange) | null;
  /** superUser, superUser.N */
  readonly saslSuperUsers?: readonly string[];
  /** letAnySaslUserDoX */
  readonly letAnySaslUserDoX?: string | null;
  /** allowSaslFailedClients: a client whose SASL failed is served without the id. */
  readonly allowsSaslFailure?: boolean;
  /** enforce.auth.schemes: a client needs an id of one of these schemes. */
  readonly enforced?: readonly string[] | null;
  /** ensembleAuthName; without it, a client may name any ensemble. */
  readonly ensembleNames?: ReadonlySet<string> | null;
}

/** Up to this many pairs of an entry and an id are compared each time. */
const FEW_PAIRS = 16;

const SUPER: Id = { scheme: 'super', id: '' };

/** For names and hashes, which are not secret, so the time of a comparison does not matter. */
const isSame = (id: string, aclId: string): boolean => id === aclId;

const PROVIDERS: readonly (readonly [scheme: string, provider: AuthProvider])[] = [
  [
    'ip',
    {
      isAuthenticated: false,
      isExact: false,
      isValid: (id) => parseIpRange(id) !== undefined,
      matches: (id, aclId) => matchesIp(id, aclId),
    },
  ],
  [
    'digest',
    {
      isAuthenticated: true,
      isExact: true,
      isValid: (id) => fieldsOf(id) === 2,
      matches: isSame,
    },
  ],
  ['x509', { isAuthenticated: true, isExact: true, isValid: isDistinguishedName, matches: isSame }],
  // Says which ensemble a client means, and grants nothing.
  [
    'ensemble',
    { isAuthenticated: false, isExact: false, isValid: () => false, matches: () => false },
  ],
];
/** As Java's String.split(":") counts: empty fields at the end do not, except of "". */
function fieldsOf(id: string): number {
  let end = id.length;
  while (end > 0 && id[end - 1] === ':') end--;
  if (end === 0) return id === '' ? 1 : 0;
  return id.slice(0, end).split(':').length;
}

/** service/host@realm, or without "@". */
const KERBEROS_NAME = /^[^/@]*(?:\/[^/@]*)?@[^/@]*$/;
const DEFAULT_SCHEMES: ReadonlySet<string> = new Set(['ip', 'digest', 'x509']);

export class Auth {
  private readonly providers: ReadonlyMap<string, AuthProvider>;
  private readonly options: AuthOptions;
  private readonly enforced: readonly string[] | null;
  private readonly grants: AclGrants;
  /** Counts the steps of comparing ACLs; the server gives the one of its turn. */
  work = new Work();
  /** Reports an exceeded limit; the server sets it once. */
  onLimit: (limit: 'aclEntries' | 'multiSteps', from: string) => void = () => undefined;

  constructor(options: AuthOptions) {
    this.options = options;
    const { schemes = DEFAULT_SCHEMES } = options;
    const sasl: AuthProvider = {
      isAuthenticated: true,
      isExact: false,
      isValid: (id) => !id.includes('@') || KERBEROS_NAME.test(id),
      matches: (id, aclId) =>
        id === 'super' || id === aclId || aclId === (options.letAnySaslUserDoX ?? null),
    };
    const all = [...PROVIDERS, ['sasl', sasl] as const];
    this.providers = new Map(all.filter(([scheme]) => schemes.has(scheme)));
    this.grants = new AclGrants(this.providers);
    this.enforced = options.enforced ?? null;
  }

  isServed(ids: readonly Id[]): boolean {
    const { enforced } = this;
    return enforced === null || ids.some(({ scheme }) => enforced.includes(scheme));
  }

  /** Whether the client means this ensemble; undefined for another scheme. */
  checkEnsemble(scheme: string, auth: Buffer | null): 'success' | 'fail' | 'skip' | undefined {
    if (scheme !== 'ensemble' || !this.providers.has(scheme)) return undefined;
    const { ensembleNames = null } = this.options;
    if (ensembleNames === null || auth === null || auth.length === 0) return 'skip';
    return ensembleNames.has(auth.toString('utf8')) ? 'success' : 'fail';
  }

  /** Null without SASL. */
  startSasl(): SaslExchange | null {
    return this.options.startSasl?.() ?? null;
  }

  saslIds(user: string): Id[] {
    const own: Id = { scheme: 'sasl', id: user };
    return this.options.saslSuperUsers?.includes(user) === true ? [own, SUPER] : [own];
  }

  /** The error for a client whose SASL failed; OK if it is served anyway. */
  get saslFailure(): ErrorCode {
    if (this.enforced?.includes('sasl') === true) return ErrorCode.SESSIONCLOSEDREQUIRESASLAUTH;
    return this.options.allowsSaslFailure === true ? ErrorCode.OK : ErrorCode.AUTHFAILED;
  }

  certificateIds(subject: string): Id[] {
    const own: Id = { scheme: 'x509', id: subject };
    return subject === this.options.x509SuperUser ? [SUPER, own] : [own];
  }

  /** The ids that an auth packet adds to `ownIds`; undefined if it is refused (AUTHFAILED). */
  authenticate(
    scheme: string,
    auth: Buffer | null,
    remoteIp: string,
    ownIds: readonly Id[] = [],
  ): Id[] | undefined {
    if (!this.providers.has(scheme)) return undefined;
    if (scheme === 'ip') return [{ scheme: 'ip', id: remoteIp }];
    // The certificate was checked when the client connected.
    if (scheme === 'x509') {
      const own = ownIds.filter((id) => id.scheme === 'x509');
      return own.length === 0 ? undefined : own;
    }
    if (scheme !== 'digest' || auth === null) return undefined;
    const text = auth.toString('utf8');
    const user = text.split(':', 1)[0] ?? '';
    const digest = `${user}:${this.options.hash(text)}`;
    const ids: Id[] = [{ scheme: 'digest', id: digest }];
    const { superDigest } = this.options;
    if (superDigest !== undefined && equalTexts(digest, superDigest)) ids.unshift(SUPER);
    return ids;
  }

  isAllowed(acl: readonly ACL[], perm: number, ids: readonly Id[]): boolean {
    if (acl === OPEN_ACL_UNSAFE && (perm & Perms.ALL) !== 0) return true;
    if (this.options.isAclSkipped === true || acl.length === 0) return true;
    if (ids.some(({ scheme }) => scheme === 'super')) return true;
    if (acl.length * ids.length <= FEW_PAIRS) return this.isAllowedBy(acl, perm, ids);
    return (this.grants.of(acl, ids, this.work) & perm) !== 0;
  }

  /** Whether `ids` have these permissions by entries for them, not because everyone has them. */
  isNamed(acl: readonly ACL[], perms: readonly number[], ids: readonly Id[]): boolean {
    if (ids.some(({ scheme }) => scheme === 'super')) return true;
    const own = acl.filter(({ id }) => id.scheme !== 'world');
    return perms.every((perm) => this.isAllowedBy(own, perm, ids));
  }

  private isAllowedBy(acl: readonly ACL[], perm: number, ids: readonly Id[]): boolean {
    return acl.some((entry) => (entry.perms & perm) !== 0 && this.isHolder(entry.id, ids));
  }

  private isHolder(aclId: Id, ids: readonly Id[]): boolean {
    if (aclId.scheme === 'world' && aclId.id === 'anyone') return true;
    const provider = this.providers.get(aclId.scheme);
    if (provider === undefined) return false;
    return ids.some(({ scheme, id }) => scheme === aclId.scheme && provider.matches(id, aclId.id));
  }

  /**
   * The ACL to store: without duplicates, and with the ids of the connection for `auth` entries.
   * INVALIDACL if it is empty, or has an unknown scheme or a malformed id.
   */
  fixUp(acl: readonly ACL[], ids: readonly Id[]): readonly ACL[] | ErrorCode {
    if (acl === OPEN_ACL_UNSAFE) return acl;
    if (this.isTooLong(acl.length, ids)) return ErrorCode.INVALIDACL;
    const own = acl.some(({ id }) => id.scheme === 'auth') ? this.authenticated(ids) : [];
    // Keyed by text, so that a long ACL needs no quadratic comparison.
    const fixed = new Map<string, ACL>();
    const expanded = new Set<number>();
    for (const entry of acl) {
      const { scheme, id } = entry.id;
      if (scheme !== 'auth') {
        if (!this.isValid(scheme, id)) return ErrorCode.INVALIDACL;
        addEntry(fixed, entry);
      } else if (own.length === 0 || this.isTooLong(fixed.size, ids)) {
        return ErrorCode.INVALIDACL;
      } else if (!expanded.has(entry.perms)) {
        // Each of these entries expands to all ids of the connection.
        expanded.add(entry.perms);
        for (const ownId of own) addEntry(fixed, { perms: entry.perms, id: ownId });
      }
    }
    const isShort = !this.isTooLong(fixed.size, ids);
    return fixed.size > 0 && isShort ? [...fixed.values()] : ErrorCode.INVALIDACL;
  }

  private isValid(scheme: string, id: string): boolean {
    if (scheme === 'world') return id === 'anyone';
    return this.providers.get(scheme)?.isValid(id) === true;
  }

  private authenticated(ids: readonly Id[]): Id[] {
    return ids.filter(({ scheme }) => this.providers.get(scheme)?.isAuthenticated === true);
  }

  private isTooLong(entries: number, ids: readonly Id[]): boolean {
    return entries > LIMITS.aclEntries.value && this.exceeded('aclEntries', ids);
  }

  /** Whether a multi has cost too much since `begun` steps of work. */
  isTooDear(begun: number, ids: readonly Id[]): boolean {
    const steps = this.work.steps - begun;
    return steps > LIMITS.multiSteps.value && this.exceeded('multiSteps', ids);
  }

  private exceeded(limit: 'aclEntries' | 'multiSteps', ids: readonly Id[]): true {
    this.onLimit(limit, ids.find(({ scheme }) => scheme === 'ip')?.id ?? 'a client');
    return true;
  }
}

function addEntry(entries: Map<string, ACL>, entry: ACL): void {
  const key = `${entry.perms}:${entry.id.scheme}:${entry.id.id}`;
  if (!entries.has(key)) entries.set(key, entry);
}

/** In UTF-16 units. */
export function lengthOf(ids: readonly Id[]): number {
  let length = 0;
  for (const { scheme, id } of ids) length += scheme.length + id.length;
  return length;
}

/** As in whoAmI: of a digest only the user. */
export function shownUser({ scheme, id }: Id): string {
  return scheme === 'digest' ? (id.split(':', 1)[0] ?? '') : id;
}

const MAX_USER = LIMITS.shownNameLength.value;

/**
 * The first login of a client, and "anonymous" without one. A cut copy, since who keeps it must not
 * keep the id, which may have a megabyte.
 */
export function userOf(ids: readonly Id[]): string {
  const login = ids.find(({ scheme }) => scheme !== 'ip');
  if (login === undefined) return 'anonymous';
  const user = `${login.scheme}:${shownUser(login)}`;
  return user.length <= MAX_USER ? user : Buffer.from(user.slice(0, MAX_USER)).toString();
}

/** getACL without ADMIN hides the hash of a password. */
export function maskDigests(acl: readonly ACL[]): readonly ACL[] {
  return acl.map((entry) =>
    entry.id.scheme === 'digest'
      ? { perms: entry.perms, id: { scheme: 'digest', id: `${shownUser(entry.id)}:x` } }
      : entry,
  );
}
