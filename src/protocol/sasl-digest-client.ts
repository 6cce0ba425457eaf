/**
 * The client side of SASL DIGEST-MD5: answers the challenge, and checks that the other side knows
 * the password, too. Pure.
 */
import {
  type DigestClaim,
  type DigestNames,
  digestProof,
  type Md5,
  parseDirectives,
} from './digest-proof.js';
import { equalTexts } from './equal-bytes.js';
import type { DigestLogin } from './sasl-login.js';
import type { SaslClientExchange, SaslClientStep } from './sasl-step.js';

export interface SaslClientOptions {
  readonly login: DigestLogin;
  readonly names: DigestNames;
  readonly md5: Md5;
  readonly nonce: () => string;
}

export class SaslDigestClient implements SaslClientExchange {
  readonly first = Buffer.alloc(0);
  readonly endsEmpty = false;
  private readonly options: SaslClientOptions;
  private claim: DigestClaim | null = null;

  constructor(options: SaslClientOptions) {
    this.options = options;
  }

  get user(): string {
    return this.options.login.user;
  }

  step(token: Buffer): SaslClientStep {
    const said = parseDirectives(token.toString('utf8'));
    if (said === undefined) return failed('malformed token (expected a list of directives)');
    return this.claim === null ? this.answer(said) : this.judge(said, this.claim);
  }

  private answer(said: ReadonlyMap<string, string>): SaslClientStep {
    const { login, names, md5 } = this.options;
    const { user, password } = login;
    const nonce = said.get('nonce');
    if (nonce === undefined) return failed('challenge without a nonce');
    if (said.get('algorithm') !== 'md5-sess')
      return failed('unsupported algorithm (expected md5-sess)');
    const isOffered = (said.get('qop') ?? 'auth').split(',').some((qop) => qop.trim() === 'auth');
    if (!isOffered) return failed('qop "auth" is not offered');
    const cnonce = this.options.nonce();
    const { uri } = names;
    const realm = said.get('realm') ?? names.realm;
    const claim = { user, realm, password, nonce, cnonce, authzid: user, uri };
    this.claim = claim;
    const directives = [
      'charset=utf-8',
      `username="${quoted(user)}"`,
      `realm="${quoted(realm)}"`,
      `nonce="${quoted(nonce)}"`,
      'nc=00000001',
      `cnonce="${cnonce}"`,
      `digest-uri="${uri}"`,
      'maxbuf=65536',
      `response=${digestProof(md5, claim, 'AUTHENTICATE')}`,
      'qop=auth',
      `authzid="${quoted(user)}"`,
    ];
    return { kind: 'continue', token: Buffer.from(directives.join(','), 'utf8') };
  }

  private judge(said: ReadonlyMap<string, string>, claim: DigestClaim): SaslClientStep {
    const proof = digestProof(this.options.md5, claim, '');
    if (equalTexts(said.get('rspauth') ?? '', proof)) return { kind: 'done' };
    return failed('the other side did not prove that it knows the password');
  }
}

function failed(reason: string): SaslClientStep {
  return { kind: 'failed', reason };
}

function quoted(text: string): string {
  return text.replace(/["\\]/g, '\\$&');
}
