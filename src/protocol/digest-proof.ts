/** The common part of both sides of SASL DIGEST-MD5 (RFC 2831; md5-sess, qop auth). */

export interface DigestNames {
  readonly realm: string;
  /** `service/host` */
  readonly uri: string;
}

/** The names of Apache's clients and servers (ZooKeeperSaslServer). */
export const CLIENT_NAMES: DigestNames = {
  realm: 'zk-sasl-md5',
  uri: 'zookeeper/zk-sasl-md5',
};

export interface DigestClaim {
  readonly user: string;
  readonly realm: string;
  readonly password: string;
  readonly nonce: string;
  readonly cnonce: string;
  readonly authzid: string | undefined;
  readonly uri: string;
}

export type Md5 = (bytes: Buffer) => Buffer;

/** @param method AUTHENTICATE for the client; "" for the server's proof */
export function digestProof(md5: Md5, claim: DigestClaim, method: string): string {
  const { user, realm, password, nonce, cnonce, authzid, uri } = claim;
  const secret = md5(Buffer.from(`${user}:${realm}:${password}`, 'utf8'));
  const rest = `:${nonce}:${cnonce}${authzid === undefined ? '' : `:${authzid}`}`;
  const a1 = md5(Buffer.concat([secret, Buffer.from(rest, 'utf8')])).toString('hex');
  const a2 = md5(Buffer.from(`${method}:${uri}`, 'utf8')).toString('hex');
  return md5(Buffer.from(`${a1}:${nonce}:00000001:${cnonce}:auth:${a2}`, 'utf8')).toString('hex');
}

/** `(?!\s)` lets blanks match in one way only: else, many of them would take quadratic time. */
const DIRECTIVE = /\s*([a-zA-Z-]+)\s*=\s*(?!\s)(?:"((?:[^"\\]|\\.)*)"|([^",\s]*))\s*(?:,|$)/gy;

/** Parses `name=value,name="value"`; undefined if it is malformed or has duplicates. */
export function parseDirectives(text: string): Map<string, string> | undefined {
  const directives = new Map<string, string>();
  DIRECTIVE.lastIndex = 0;
  while (DIRECTIVE.lastIndex < text.length) {
    const match = DIRECTIVE.exec(text);
    if (match === null) return undefined;
    const [, name = '', quoted, plain = ''] = match;
    if (directives.has(name)) return undefined;
    directives.set(name, quoted === undefined ? plain : quoted.replace(/\\(.)/g, '$1'));
  }
  return directives;
}
