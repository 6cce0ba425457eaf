/**
 * The server's side of SASL DIGEST-MD5 (RFC 2831), quality of protection "auth" alone, as Apache's
 * server speaks it: an empty token asks for the challenge, the answer to it proves the password,
 * and the last token proves that the server knows it too. Pure: hash and nonce are given to it.
 */
export interface SaslOptions {
  /** Passwords by user. */
  readonly users: ReadonlyMap<string, string>;
  readonly md5: (bytes: Buffer) => Buffer;
  /** A text that was never used before: letters and digits. */
  readonly nonce: () => string;
}

export type SaslStep =
  | { readonly kind: 'continue'; readonly token: Buffer }
  | { readonly kind: 'done'; readonly token: Buffer; readonly user: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** What Apache's clients and servers agree on (ZooKeeperSaslServer). */
export const SASL_REALM = 'zk-sasl-md5';
const DIGEST_URI = `zookeeper/${SASL_REALM}`;

export class SaslDigest {
  private readonly options: SaslOptions;
  private nonce: string | null = null;
  private isOver = false;

  constructor(options: SaslOptions) {
    this.options = options;
  }

  step(token: Buffer): SaslStep {
    if (this.isOver) return failed('the exchange is over');
    if (this.nonce === null) return this.challenge(token);
    this.isOver = true;
    return this.judge(token.toString('utf8'), this.nonce);
  }

  private challenge(token: Buffer): SaslStep {
    if (token.length > 0) return failed('DIGEST-MD5 begins with an empty token');
    this.nonce = this.options.nonce();
    const text = `realm="${SASL_REALM}",nonce="${this.nonce}",qop="auth",charset=utf-8,algorithm=md5-sess`;
    return { kind: 'continue', token: Buffer.from(text, 'utf8') };
  }

  private judge(text: string, nonce: string): SaslStep {
    const said = parseDirectives(text);
    if (said === undefined) return failed('a token that is no list of directives');
    const get = (name: string): string => said.get(name) ?? '';
    const user = get('username');
    const password = this.options.users.get(user);
    if (password === undefined) return failed(`there is no user "${user}"`);
    if (get('nonce') !== nonce || get('nc') !== '00000001') return failed('another nonce');
    if (get('digest-uri') !== DIGEST_URI) return failed('another digest-uri');
    if ((said.get('qop') ?? 'auth') !== 'auth') return failed('another qop');
    if (get('cnonce') === '') return failed('no cnonce');
    const proof = (method: string): string => this.proof(said, password, nonce, method);
    if (!isSameText(get('response'), proof('AUTHENTICATE'))) return failed('a wrong password');
    return { kind: 'done', user, token: Buffer.from(`rspauth=${proof('')}`, 'utf8') };
  }

  private proof(
    said: ReadonlyMap<string, string>,
    password: string,
    nonce: string,
    method: string,
  ): string {
    const { md5 } = this.options;
    const get = (name: string): string => said.get(name) ?? '';
    const authzid = said.get('authzid');
    const secret = md5(Buffer.from(`${get('username')}:${get('realm')}:${password}`, 'utf8'));
    const rest = `:${nonce}:${get('cnonce')}${authzid === undefined ? '' : `:${authzid}`}`;
    const a1 = md5(Buffer.concat([secret, Buffer.from(rest, 'utf8')])).toString('hex');
    const a2 = md5(Buffer.from(`${method}:${get('digest-uri')}`, 'utf8')).toString('hex');
    const whole = `${a1}:${nonce}:00000001:${get('cnonce')}:auth:${a2}`;
    return md5(Buffer.from(whole, 'utf8')).toString('hex');
  }
}

function failed(reason: string): SaslStep {
  return { kind: 'failed', reason };
}

/** Takes as long for a near miss as for any other. */
function isSameText(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}

const DIRECTIVE = /\s*([a-zA-Z-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^",\s]*))\s*(?:,|$)/gy;

/** `name=value,name="value"`; undefined when it is none, or says something twice. */
function parseDirectives(text: string): Map<string, string> | undefined {
  const said = new Map<string, string>();
  DIRECTIVE.lastIndex = 0;
  while (DIRECTIVE.lastIndex < text.length) {
    const match = DIRECTIVE.exec(text);
    if (match === null) return undefined;
    const [, name = '', quoted, plain = ''] = match;
    if (said.has(name)) return undefined;
    said.set(name, quoted === undefined ? plain : quoted.replace(/\\(.)/g, '$1'));
  }
  return said;
}
