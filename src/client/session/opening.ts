/**
 * The first frames of each connection: hello, welcome, then SASL if configured. A server answers
 * requests in order: one sent before the end of SASL would run without the identity.
 */

import { loadCrypto } from '../../base/load-on-demand.js';
import type { InputArchive } from '../../jute/input-archive.js';
import type { OutputArchive } from '../../jute/output-archive.js';
import { CLIENT_NAMES } from '../../protocol/digest-proof.js';
import { ErrorCode } from '../../protocol/error-code.js';
import { OpCode } from '../../protocol/op-code.js';
import { SaslDigestClient } from '../../protocol/sasl-digest-client.js';
import { isKerberos } from '../../protocol/sasl-login.js';
import type { SaslClientExchange } from '../../protocol/sasl-step.js';
import type { ClientSasl } from '../base/kerberos.js';
import { readWelcome } from './hello.js';
import type { SessionIdentity } from './session-identity.js';

export type Opened =
  | { readonly kind: 'opened'; readonly isReadOnly: boolean }
  | { readonly kind: 'sent' }
  /** The client may try another server. */
  | { readonly kind: 'refused'; readonly problem: string }
  | {
      readonly kind: 'ended';
      readonly state: 'expired' | 'auth-failed';
      readonly code: ErrorCode;
      readonly problem: string;
    };

/** Other requests count from 1. */
const SASL_XID = 0;
const NOTHING = Buffer.alloc(0);

export class Opening {
  private readonly identity: SessionIdentity;
  private readonly canBeReadOnly: boolean;
  private readonly login: ClientSasl | undefined;
  /** For the next connection: a login by Kerberos begins before it. */
  private prepared: SaslClientExchange | null = null;
  /** Set after the welcome. */
  private sasl: SaslClientExchange | null = null;
  private isReadOnly = false;

  constructor(
    identity: SessionIdentity,
    options: { readonly canBeReadOnly: boolean; readonly sasl?: ClientSasl | undefined },
  ) {
    this.identity = identity;
    this.canBeReadOnly = options.canBeReadOnly;
    this.login = options.sasl;
  }

  /** Whether `prepare` must come before each connection. */
  get needsTicket(): boolean {
    return this.login !== undefined && isKerberos(this.login);
  }

  prepare(exchange: SaslClientExchange): void {
    this.prepared = exchange;
  }

  begin(out: OutputArchive): void {
    this.sasl = null;
    this.identity.writeHello(out);
  }

  read(input: InputArchive, out: OutputArchive): Opened {
    return this.sasl === null
      ? this.readWelcome(input, out)
      : this.readToken(input, out, this.sasl);
  }

  private readWelcome(input: InputArchive, out: OutputArchive): Opened {
    const { identity } = this;
    const welcome = readWelcome(input);
    if (welcome === null) return { kind: 'refused', problem: 'is read-only and grants no session' };
    if (welcome.timeoutMs <= 0 || welcome.sessionId === 0n) {
      const code = ErrorCode.SESSIONEXPIRED;
      return { kind: 'ended', state: 'expired', code, problem: identity.refusal };
    }
    if (welcome.isReadOnly && !this.canBeReadOnly)
      return { kind: 'refused', problem: 'is read-only' };
    identity.adopt(welcome);
    this.isReadOnly = welcome.isReadOnly;
    this.sasl = this.exchange();
    if (this.sasl === null) return { kind: 'opened', isReadOnly: welcome.isReadOnly };
    writeToken(out, this.sasl.first);
    return { kind: 'sent' };
  }

  private exchange(): SaslClientExchange | null {
    const { login, prepared } = this;
    this.prepared = null;
    if (login === undefined || isKerberos(login)) return prepared;
    const { createHash, randomBytes } = loadCrypto();
    return new SaslDigestClient({
      login,
      names: CLIENT_NAMES,
      md5: (bytes) => createHash('md5').update(bytes).digest(),
      nonce: () => randomBytes(24).toString('hex'),
    });
  }

  private readToken(input: InputArchive, out: OutputArchive, sasl: SaslClientExchange): Opened {
    const xid = input.readInt();
    input.readLong();
    const err = input.readInt();
    // A server sends nothing else before its answer.
    if (xid !== SASL_XID) return failed('answered another request than SASL');
    if (err !== ErrorCode.OK) return failed(`refused the SASL login of "${sasl.user}"`);
    const token = input.readBuffer() ?? NOTHING;
    if (token.length === 0 && !sasl.endsEmpty)
      return failed('does not use SASL, or refused the login');
    const step = sasl.step(Buffer.from(token));
    if (step.kind === 'failed') return failed(`broke off SASL: ${step.reason}`);
    if (step.kind === 'done') return { kind: 'opened', isReadOnly: this.isReadOnly };
    writeToken(out, step.token);
    return { kind: 'sent' };
  }
}

function failed(problem: string): Opened {
  return { kind: 'ended', state: 'auth-failed', code: ErrorCode.AUTHFAILED, problem };
}

function writeToken(out: OutputArchive, token: Buffer): void {
  const at = out.skip(4);
  out.writeInt(SASL_XID);
  out.writeInt(OpCode.sasl);
  out.writeBuffer(token);
  out.patchInt(at, out.length - at - 4);
}
