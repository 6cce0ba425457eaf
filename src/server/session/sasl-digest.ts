/**
 * The server's side of SASL DIGEST-MD5 (RFC 2831), quality of protection "auth" alone, as Apache's
 * server speaks it: an empty token asks for the challenge, the answer to it proves the password,
 * and the last token proves that the server knows it too. Pure: hash and nonce are given to it.
 */
import {
  type DigestClaim,
  type DigestNames,
  digestProof,
  type Md5,
  parseDirectives,
} from './digest-proof.js';
import { equalTexts } from './equal-bytes.js';

export interface SaslOptions {
  /** Passwords by user. */
  readonly users: ReadonlyMap<string, string>;
  /** Default: those of clients. */
  readonly names?: DigestNames;
  readonly md5: Md5;
  /** A text that was never used before: letters and digits. */
  readonly nonce: () => string;
}

export type SaslStep =
  | { readonly kind: 'continue'; readonly token: Buffer }
  | { readonly kind: 'done'; readonly token: Buffer; readonly user: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** What Apache's clients and servers agree on (ZooKeeperSaslServer). */
export const SASL_REALM = 'zk-sasl-md5';
const CLIENT_NAMES: DigestNames = { realm: SASL_REALM, uri: `zookeeper/${SASL_REALM}` };

export class SaslDigest {
  private readonly options: SaslOptions;
  private readonly names: DigestNames;
  private nonce: string | null = null;
  private isOver = false;

  constructor(options: SaslOptions) {
    this.options = options;
    this.names = options.names ?? CLIENT_NAMES;
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
    const text = `realm="${this.names.realm}",nonce="${this.nonce}",qop="auth",charset=utf-8,algorithm=md5-sess`;
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
    if (get('digest-uri') !== this.names.uri) return failed('another digest-uri');
    if ((said.get('qop') ?? 'auth') !== 'auth') return failed('another qop');
    if (get('cnonce') === '') return failed('no cnonce');
    const claim: DigestClaim = {
      user,
      realm: get('realm'),
      password,
      nonce,
      cnonce: get('cnonce'),
      authzid: said.get('authzid'),
      uri: get('digest-uri'),
    };
    const { md5 } = this.options;
    const expected = digestProof(md5, claim, 'AUTHENTICATE');
    if (!equalTexts(get('response'), expected)) return failed('a wrong password');
    const token = Buffer.from(`rspauth=${digestProof(md5, claim, '')}`, 'utf8');
    return { kind: 'done', user, token };
  }
}

function failed(reason: string): SaslStep {
  return { kind: 'failed', reason };
}
