/** The users of the console: a file with scrypt hashes, and a bearer token. */
import { createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { UsageError } from '../commands/ensemble/usage-error.js';

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

/** Checked for unknown users, so that the response time does not reveal which users exist. */
const NOBODY: Hash = { salt: Buffer.alloc(16), key: Buffer.alloc(KEY_LENGTH) };

/** A line of the file: `NAME:scrypt:SALT:KEY`. @throws UsageError */
export async function newUserLine(name: string, password: string): Promise<string> {
  if (!/^[\w.@-]{1,64}$/.test(name)) {
    throw new UsageError(`--new-user: invalid name: "${name}" (expected letters, digits, . _ @ -)`);
  }
  if (password.length < MIN_PASSWORD_LENGTH) {
    throw new UsageError(
      `--new-user: the password is shorter than ${MIN_PASSWORD_LENGTH} characters`,
    );
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

export interface LoginFiles {
  readonly users: string | undefined;
  readonly token: string | undefined;
}

/** @throws UsageError for an unusable file */
export function readLogins({ users, token }: LoginFiles): Logins {
  const hashes = new Map<string, Hash>();
  const text = users === undefined ? '' : readSecret('--users', users);
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [, name, salt, key] = /^([\w.@-]+):scrypt:([\w-]+):([\w-]+)$/.exec(line.trim()) ?? [];
    if (name === undefined || salt === undefined || key === undefined) {
      throw new UsageError(
        `--users ${users}: line ${at + 1}: expected NAME:scrypt:SALT:KEY, as --new-user prints it`,
      );
    }
    hashes.set(name, { salt: Buffer.from(salt, 'base64url'), key: Buffer.from(key, 'base64url') });
  }
  if (users !== undefined && hashes.size === 0) {
    throw new UsageError(
      `--users ${users}: has no user; zkops console --new-user NAME prints a line`,
    );
  }
  const bearer = token === undefined ? undefined : readSecret('--token-file', token).trim();
  if (bearer !== undefined && bearer.length < MIN_TOKEN_LENGTH) {
    throw new UsageError(
      `--token-file ${token}: the token is shorter than ${MIN_TOKEN_LENGTH} characters`,
    );
  }
  return new Logins(hashes, bearer);
}

/** Requires a file that only its owner can read. */
function readSecret(option: string, file: string): string {
  try {
    if ((statSync(file).mode & 0o077) === 0) return readFileSync(file, 'utf8');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`${option} ${file}: cannot read: ${why}`, undefined, { cause });
  }
  throw new UsageError(
    `${option} ${file}: is readable by users other than its owner: chmod 600 ${file}`,
  );
}

export class Logins {
  private readonly users: ReadonlyMap<string, Hash>;
  private readonly bearer: string | undefined;
  /** Users by a keyed digest of their credentials, the newest last. */
  private readonly remembered = new Map<string, string>();
  private readonly secret = randomBytes(32);

  constructor(users: ReadonlyMap<string, Hash>, bearer: string | undefined) {
    this.users = users;
    this.bearer = bearer;
  }

  get isRequired(): boolean {
    return this.users.size > 0 || this.bearer !== undefined;
  }

  get challenge(): string {
    return this.users.size > 0 ? 'Basic realm="zkops console", charset="UTF-8"' : 'Bearer';
  }

  /** The user of the token, or of a password that was checked before. */
  knownUser(authorization: string | undefined): string | undefined {
    const { scheme, sent } = credentialsOf(authorization);
    if (scheme === 'basic') return this.remembered.get(this.digest(sent).toString('base64'));
    const { bearer } = this;
    const isRight = scheme === 'bearer' && bearer !== undefined && this.isSame(sent, bearer);
    return isRight ? 'token' : undefined;
  }

  /** Undefined for wrong or missing credentials. */
  async userOf(authorization: string | undefined): Promise<string | undefined> {
    const { scheme, sent } = credentialsOf(authorization);
    if (scheme !== 'basic') return undefined;
    const [name = '', ...rest] = Buffer.from(sent, 'base64').toString('utf8').split(':');
    const { salt, key } = this.users.get(name) ?? NOBODY;
    const isRight = timingSafeEqual(await derive(rest.join(':'), salt), key);
    if (!isRight || !this.users.has(name)) return undefined;
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

function credentialsOf(authorization = '') {
  const [, scheme = '', sent = ''] = /^(basic|bearer) +(\S+)$/i.exec(authorization) ?? [];
  return { scheme: scheme.toLowerCase(), sent };
}
