/**
 * The client's side of SASL GSSAPI (RFC 4752), without a security layer: the login by a ticket, the
 * proof of the server, and the agreement on no layer. `gssapi-server.ts` has the other side.
 * The npm package `kerberos` would need a native build for each platform.
 */
import { randomInt } from 'node:crypto';
import type { SaslClientExchange, SaslClientStep } from '../protocol/sasl-step.js';
import { decrypt, encrypt, type KerberosKey, randomKey, Usage } from './encryption.js';
import type { Credentials } from './get-ticket.js';
import {
  GSS_CHECKSUM,
  GssContext,
  readInitialToken,
  TokenId,
  writeInitialToken,
} from './gss-token.js';
import { KerberosError } from './kerberos-error.js';
import { readApReply, readApReplyPart, writeApRequest, writeAuthenticator } from './messages.js';

const NO_LAYER = 1;
const LAYERS_SIZE = 4;
/** GSS-API flags: proof of the server, detection of replays and of a wrong order, signatures. */
const FLAGS = 0x02 | 0x04 | 0x08 | 0x20;
const NOTHING = Buffer.alloc(0);

type Stage = 'proof' | 'layers' | 'end' | 'done' | 'over';

export class GssapiClient implements SaslClientExchange {
  readonly user: string;
  readonly first: Buffer;
  private readonly credentials: Credentials;
  private readonly timeMs: number;
  private readonly subkey: KerberosKey;
  private readonly sequence = randomInt(0x4000_0000);
  private context: GssContext | null = null;
  private stage: Stage = 'proof';

  /** @param nowMs since 1970 */
  constructor(credentials: Credentials, nowMs: number) {
    this.credentials = credentials;
    this.user = credentials.client;
    // A server takes the same microsecond only once.
    this.timeMs = Math.floor(nowMs) + randomInt(1000) / 1000;
    this.subkey = randomKey(credentials.key);
    this.first = this.login();
  }

  /** Whether the server accepted the login. */
  get isDone(): boolean {
    return this.stage === 'done';
  }

  get endsEmpty(): boolean {
    return this.stage === 'end';
  }

  step(token: Buffer): SaslClientStep {
    try {
      return this.answer(token);
    } catch (error) {
      this.stage = 'over';
      if (!(error instanceof KerberosError)) throw error;
      return { kind: 'failed', reason: error.message };
    }
  }

  private login(): Buffer {
    const { client, ticket, key } = this.credentials;
    // Its length, no bindings to a channel, and the flags, in the order of x86.
    const said = Buffer.alloc(24);
    said.writeUInt32LE(16, 0);
    said.writeUInt32LE(FLAGS, 20);
    const authenticator = writeAuthenticator({
      client,
      checksum: { type: GSS_CHECKSUM, bytes: said },
      timeMs: this.timeMs,
      subkey: this.subkey,
      sequence: this.sequence,
    });
    const cipher = encrypt(key, Usage.AUTHENTICATOR, authenticator);
    const request = writeApRequest(ticket, { enctype: key.enctype, cipher }, true);
    return writeInitialToken(TokenId.AP_REQUEST, request);
  }

  private answer(token: Buffer): SaslClientStep {
    if (this.stage === 'proof') return this.checkProof(token);
    if (this.stage === 'layers') return this.choose(token);
    if (this.stage !== 'end') throw new KerberosError('the exchange is over');
    if (token.length > 0) throw new KerberosError('expected an empty token at the end');
    this.stage = 'done';
    return { kind: 'done' };
  }

  private checkProof(token: Buffer): SaslClientStep {
    const { key } = this.credentials;
    const { enctype, cipher } = readApReply(readInitialToken(token, TokenId.AP_REPLY));
    if (enctype !== key.enctype) {
      throw new KerberosError('the server proves itself with another key than that of the ticket');
    }
    const { timeMs, subkey } = readApReplyPart(decrypt(key, Usage.AP_REPLY, cipher));
    if (Math.round(timeMs * 1000) !== Math.round(this.timeMs * 1000)) {
      throw new KerberosError('the server proves another login');
    }
    const isTheirs = subkey !== undefined;
    this.context = new GssContext(subkey ?? this.subkey, this.sequence, 'initiator', isTheirs);
    this.stage = 'layers';
    return { kind: 'continue', token: NOTHING };
  }

  private choose(token: Buffer): SaslClientStep {
    const offer = this.context?.unwrap(token);
    const layers = offer?.length === LAYERS_SIZE ? (offer[0] ?? 0) : 0;
    if (this.context === null || (layers & NO_LAYER) === 0) {
      throw new KerberosError('the server requires a security layer, which ZooKeeper lacks');
    }
    this.stage = 'end';
    const choice = Buffer.concat([
      Buffer.from([NO_LAYER, 0, 0, 0]),
      Buffer.from(this.credentials.client, 'utf8'),
    ]);
    return { kind: 'continue', token: this.context.wrap(choice) };
  }
}
