/**
 * The server side of SASL DIGEST-MD5 (RFC 2831) with quality of protection "auth", as in Apache's
 * server. An empty token requests the challenge, the next proves the password, and the last proves
 * that the server knows it, too. The caller supplies hash and nonce.
 */
import {
  CLIENT_NAMES,
  type DigestClaim,
  type DigestNames,
  digestProof,
  type Md5,
  parseDirectives,
} from '../../protocol/digest-proof.js';
import { equalTexts } from '../../protocol/equal-bytes.js';
import type { SaslExchange, SaslStep } from '../../protocol/sasl-step.js';

export interface SaslOptions {
  /** Passwords by user. */
  readonly users: ReadonlyMap<string, string>;
  /** Default: the names for clients. */
  readonly names?: DigestNames;
  readonly md5: Md5;
  /** Makes a unique text of letters and digits. */
  readonly nonce: () => string;
}

export class SaslDigest implements SaslExchange {
  private readonly options: SaslOptions;
  private readonly names: DigestNames;
  /** The nonce of the challenge; null before it is sent. */
  private nonce: string | null = null;
  /** The proof was checked, whatever the result: no later token counts. */
  private isOver = false;

  constructor(options: SaslOptions) {
    this.options = options;
    this.names = options.names ?? CLIENT_NAMES;
  }

  step(token: Buffer): SaslStep {
    if (this.isOver) return failed('the exchange is over');
    if (this.nonce === null) return this.challenge(token);
    this.isOver = true;
    return this.check(token.toString('utf8'), this.nonce);
  }

  private challenge(token: Buffer): SaslStep {
    if (token.length > 0) return failed('the first token must be empty');
    this.nonce = this.options.nonce();
    const text = `realm="${this.names.realm}",nonce="${this.nonce}",qop="auth",charset=utf-8,algorithm=md5-sess`;
    return { kind: 'continue', token: Buffer.from(text, 'utf8') };
  }

  private check(text: string, nonce: string): SaslStep {
    const directives = parseDirectives(text);
    if (directives === undefined) return failed('malformed token (expected a list of directives)');
    const get = (name: string): string => directives.get(name) ?? '';
    const user = get('username');
    const password = this.options.users.get(user);
    if (password === undefined) return failed(`unknown user "${user}"`);
    if (get('nonce') !== nonce || get('nc') !== '00000001') return failed('wrong nonce');
    if (get('digest-uri') !== this.names.uri) return failed('wrong digest-uri');
    if ((directives.get('qop') ?? 'auth') !== 'auth') return failed('wrong qop');
    if (get('cnonce') === '') return failed('missing cnonce');
    const claim: DigestClaim = {
      user,
      realm: get('realm'),
      password,
      nonce,
      cnonce: get('cnonce'),
      authzid: directives.get('authzid'),
      uri: get('digest-uri'),
    };
    const { md5 } = this.options;
    const expected = digestProof(md5, claim, 'AUTHENTICATE');
    if (!equalTexts(get('response'), expected)) return failed('wrong password');
    const token = Buffer.from(`rspauth=${digestProof(md5, claim, '')}`, 'utf8');
    return { kind: 'done', user, token };
  }
}

function failed(reason: string): SaslStep {
  return { kind: 'failed', reason };
}
