import type { OutputArchive } from '../../jute/output-archive.js';
import { formatSessionId } from '../../protocol/session-id.js';
import { NO_PASSWORD, type Welcome, writeHello } from './hello.js';
import type { SessionOptions } from './session-contract.js';

/** The identity of a session: what a server needs to resume it. */
export class SessionIdentity {
  id: bigint;
  password: Buffer;
  /** As negotiated; before the first connection, as requested. */
  timeoutMs: number;
  private readonly options: SessionOptions;
  /** A read-only server invents a session that no other server knows. */
  private isGlobal: boolean;
  /** A server created or resumed it for this client. */
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

  /** The last zxid of a reply. */
  get lastZxid(): bigint {
    return (BigInt(this.zxidHigh) << 32n) | BigInt(this.zxidLow >>> 0);
  }

  /** Saves the zxid of a reply, unless it is not a zxid (0 of auth, -1 of an unknown op). */
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

  /** The reason of an answer without a session, as far as it is known. */
  get refusal(): string {
    if (!this.isGlobal) return 'opened no session';
    if (this.isOurs) return 'reports that the session has expired';
    // A wrong password gets the same answer.
    return `refused session ${formatSessionId(this.id)}: it expired, or its password is wrong`;
  }

  adopt(welcome: Welcome): void {
    this.id = welcome.sessionId;
    this.password = welcome.password;
    this.timeoutMs = welcome.timeoutMs;
    this.isGlobal ||= !welcome.isReadOnly;
    this.isOurs ||= !welcome.isReadOnly;
  }
}
