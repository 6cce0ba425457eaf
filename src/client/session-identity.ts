import type { OutputArchive } from '../jute/output-archive.js';
import { formatSessionId } from '../protocol/session-id.js';
import { NO_PASSWORD, type Welcome, writeHello } from './hello.js';
import type { SessionOptions } from './session-contract.js';

/** Which session this is, and what a server must know to take it up again. */
export class SessionIdentity {
  id: bigint;
  password: Buffer;
  /** As negotiated; as asked for before the first connection. */
  timeoutMs: number;
  private readonly options: SessionOptions;
  /** A read-only server makes up a session of its own, which no other server knows. */
  private isGlobal: boolean;
  /** A server gave it to this client, or took it up for this client. */
  private isOurs = false;
  private zxidHigh = 0;
  private zxidLow = 0;

  constructor(options: SessionOptions) {
    this.options = options;
    this.id = options.session?.id ?? 0n;
    this.password = options.session?.password ?? NO_PASSWORD;
    this.isGlobal = options.session !== undefined;
    this.timeoutMs = options.sessionTimeoutMs;
  }

  /** The last zxid that a reply carried. */
  get lastZxid(): bigint {
    return (BigInt(this.zxidHigh) << 32n) | BigInt(this.zxidLow >>> 0);
  }

  /** Keeps the zxid of a reply; one that is none (0 of auth, -1 of an unknown op) is not kept. */
  saw(zxidHigh: number, zxidLow: number): void {
    if (zxidHigh > 0 || (zxidHigh === 0 && zxidLow !== 0)) {
      this.zxidHigh = zxidHigh;
      this.zxidLow = zxidLow;
    }
  }

  writeHello(out: OutputArchive): void {
    writeHello(out, {
      zxidHigh: this.zxidHigh,
      zxidLow: this.zxidLow,
      timeoutMs: this.options.sessionTimeoutMs,
      sessionId: this.isGlobal ? this.id : 0n,
      password: this.isGlobal ? this.password : NO_PASSWORD,
      canBeReadOnly: this.options.canBeReadOnly,
    });
  }

  /** What an answer without a session says, as far as that is known. */
  get refusal(): string {
    if (!this.isGlobal) return 'opened no session';
    if (this.isOurs) return 'says that the session has expired';
    // A wrong password has the same answer.
    return `does not take session ${formatSessionId(this.id)}: it has expired, or its password is another`;
  }

  adopt(welcome: Welcome): void {
    this.id = welcome.sessionId;
    this.password = welcome.password;
    this.timeoutMs = welcome.timeoutMs;
    this.isGlobal ||= !welcome.isReadOnly;
    this.isOurs ||= !welcome.isReadOnly;
  }
}
