/** Who uses the console: by password, bearer token, client certificate, or a proxy's header. */

import { createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { usageError } from '../commands/program/command-error.js';
import { shellWord } from '../commands/program/shell-word.js';
import { matchesIp } from '../protocol/ip-address.js';
import type { Credentials } from './session.js';
import { usable } from './usable.js';

const COST = { N: 16_384, r: 8, p: 1 } as const;
const KEY_LENGTH = 32;
const MIN_TOKEN_LENGTH = 16;
const MIN_PASSWORD_LENGTH = 8;
/** Logins that are not checked again: a check takes 50 ms, and each request has the password. */
const MAX_REMEMBERED = 100;

interface Hash {
  readonly salt: Buffer;
  readonly key: Buffer;
}

const USER = /^[\w.@-]{1,64}$/;

/** Checked for unknown users, so that the response time does not reveal which users exist. */
const NOBODY: Hash = { salt: Buffer.alloc(16), key: Buffer.alloc(KEY_LENGTH) };

/** A line of the file: `NAME:scrypt:SALT:KEY`. @throws CommandError */
export async function newUserLine(name: string, password: string): Promise<string> {
  if (!USER.test(name)) {
    throw usageError(`--new-user: invalid name: "${name}" (expected letters, digits, . _ @ -)`);
  }
  if (password.length < MIN_PASSWORD_LENGTH) {
    throw usageError(`--new-user: the password is shorter than ${MIN_PASSWORD_LENGTH} characters`);
  }
  const salt = randomBytes(16);
  const key = await derive(password, salt);
  return `${name}:scrypt:${salt.toString('base64url')}:${key.toString('base64url')}`;
}

function derive(password: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, KEY_LENGTH, COST, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}

/** A proxy that logs users in, and names them in a header. */
export interface TrustedProxy {
  readonly header: string;
  /** Addresses, or ranges such as 10.0.0.0/8. From others, the header counts for nothing. */
  readonly from: readonly string[];
}

export interface LoginSources {
  readonly users: string | undefined;
  readonly token: string | undefined;
  /** Whether TLS asks for certificates and verifies them. */
  readonly hasCertificates: boolean;
  readonly proxy: TrustedProxy | undefined;
}

/** Lines of the file, without comments. */
function linesOf(option: string, file: string): readonly (readonly [number, string])[] {
  const lines = readSecret(option, file).split(/\r?\n/);
  return lines.flatMap((line, at) =>
    line.trim() === '' || line.startsWith('#') ? [] : [[at + 1, line.trim()] as const],
  );
}

/**
 * The ZooKeeper credentials of each login, from lines `NAME:digest:USER:PASSWORD` or
 * `NAME:sasl:USER:PASSWORD`.
 * @throws CommandError for an unusable file
 */
export function readOwnCredentials(file: string): ReadonlyMap<string, Credentials> {
  const found = new Map<string, Credentials>();
  for (const [number, line] of linesOf('--zk-logins', file)) {
    const [, name, scheme, user = '', password = ''] =
      /^([\w.@-]+):(digest|sasl):([^:]+):(.+)$/.exec(line) ?? [];
    if (name === undefined) {
      throw usageError(
        `--zk-logins ${file}: line ${number}: expected NAME:digest:USER:PASSWORD or NAME:sasl:USER:PASSWORD`,
      );
    }
    const isDigest = scheme === 'digest';
    found.set(name, {
      auth: isDigest ? `${user}:${password}` : undefined,
      sasl: isDigest ? undefined : { user, password },
    });
  }
  return found;
}

/** @throws CommandError for an unusable file */
export function readLogins({ users, token, ...others }: LoginSources): Logins {
  const hashes = new Map<string, Hash>();
  for (const [number, line] of users === undefined ? [] : linesOf('--users', users)) {
    const [, name, salt, key] = /^([\w.@-]+):scrypt:([\w-]+):([\w-]+)$/.exec(line) ?? [];
    if (name === undefined || salt === undefined || key === undefined) {
      throw usageError(
        `--users ${users}: line ${number}: expected NAME:scrypt:SALT:KEY, as --new-user prints it`,
      );
    }
    hashes.set(name, { salt: Buffer.from(salt, 'base64url'), key: Buffer.from(key, 'base64url') });
  }
  if (users !== undefined && hashes.size === 0) {
    throw usageError(`--users ${users}: has no user; zkops console --new-user NAME prints a line`);
  }
  const bearer = token === undefined ? undefined : readSecret('--token-file', token).trim();
  if (bearer !== undefined && bearer.length < MIN_TOKEN_LENGTH) {
    throw usageError(
      `--token-file ${token}: the token is shorter than ${MIN_TOKEN_LENGTH} characters`,
    );
  }
  return new Logins({ users: hashes, bearer, ...others });
}

/** Requires a file that only its owner can read. */
function readSecret(option: string, file: string): string {
  const { mode, text } = usable(`${option} ${file}: cannot read`, () => ({
    mode: statSync(file).mode,
    text: readFileSync(file, 'utf8'),
  }));
  if ((mode & 0o077) === 0) return text;
  throw usageError(
    `${option} ${file}: is readable by users other than its owner: chmod 600 ${shellWord(file)}`,
  );
}

interface LoginOptions extends Pick<LoginSources, 'hasCertificates' | 'proxy'> {
  readonly users: ReadonlyMap<string, Hash>;
  readonly bearer: string | undefined;
}

export type LoginSchemes = Readonly<Record<string, Readonly<Record<string, string>>>>;

export class Logins {
  private readonly options: LoginOptions;
  /** Users by a keyed digest of their credentials, the newest last. */
  private readonly remembered = new Map<string, string>();
  private readonly secret = randomBytes(32);

  constructor(options: LoginOptions) {
    this.options = options;
  }

  get isRequired(): boolean {
    return Object.keys(this.schemes).length > 0;
  }

  /** As an OpenAPI document describes them. */
  get schemes(): LoginSchemes {
    const { users, bearer, hasCertificates, proxy } = this.options;
    return {
      ...(users.size > 0 ? { basic: { type: 'http', scheme: 'basic' } } : {}),
      ...(bearer === undefined ? {} : { bearer: { type: 'http', scheme: 'bearer' } }),
      ...(hasCertificates ? { certificate: { type: 'mutualTLS' } } : {}),
      ...(proxy && { proxy: { type: 'apiKey', in: 'header', name: proxy.header } }),
    };
  }

  get challenge(): string {
    return this.options.users.size > 0 ? 'Basic realm="zkops console", charset="UTF-8"' : 'Bearer';
  }

  /** The user by certificate, proxy, token, or a password that was checked before. */
  knownUser({ headers, socket }: IncomingMessage): string | undefined {
    const named = this.certificateUser(socket) ?? this.proxyUser(headers, socket.remoteAddress);
    if (named !== undefined) return named;
    const { scheme, sent } = credentialsOf(headers.authorization);
    if (scheme === 'basic') return this.remembered.get(this.digest(sent).toString('base64'));
    const { bearer } = this.options;
    const isRight = scheme === 'bearer' && bearer !== undefined && this.isSame(sent, bearer);
    return isRight ? 'token' : undefined;
  }

  /** The common name of a verified certificate. */
  private certificateUser(socket: unknown): string | undefined {
    if (!this.options.hasCertificates || !(socket instanceof TLSSocket)) return undefined;
    if (!socket.authorized) return undefined;
    return userOrNone(socket.getPeerCertificate().subject?.CN);
  }

  private proxyUser(headers: IncomingMessage['headers'], remoteAddress = ''): string | undefined {
    const { proxy } = this.options;
    const address = remoteAddress.replace(/^::ffff:(?=\d+\.)/, '');
    if (proxy?.from.some((range) => matchesIp(address, range)) !== true) return undefined;
    return userOrNone(headers[proxy.header.toLowerCase()]);
  }

  /** Undefined for wrong credentials. */
  async userOf(authorization: string): Promise<string | undefined> {
    const { scheme, sent } = credentialsOf(authorization);
    if (scheme !== 'basic') return undefined;
    const [name = '', ...rest] = Buffer.from(sent, 'base64').toString('utf8').split(':');
    const { salt, key } = this.options.users.get(name) ?? NOBODY;
    const isRight = timingSafeEqual(await derive(rest.join(':'), salt), key);
    if (!isRight || !this.options.users.has(name)) return undefined;
    if (this.remembered.size >= MAX_REMEMBERED) this.remembered.clear();
    this.remembered.set(this.digest(sent).toString('base64'), name);
    return name;
  }

  private digest(text: string): Buffer {
    return createHmac('sha256', this.secret).update(text).digest();
  }

  /** Constant time. */
  private isSame(one: string, other: string): boolean {
    return timingSafeEqual(this.digest(one), this.digest(other));
  }
}

function userOrNone(name: unknown): string | undefined {
  return typeof name === 'string' && USER.test(name) ? name : undefined;
}

function credentialsOf(authorization = '') {
  const [, scheme = '', sent = ''] = /^(basic|bearer) +(\S+)$/i.exec(authorization) ?? [];
  return { scheme: scheme.toLowerCase(), sent };
}
