import type { OutputArchive } from '../../jute/output-archive.js';
import { formatSessionId } from '../../protocol/session-id.js';
import { NO_PASSWORD, type Welcome, writeHello } from './hello.js';
import type { SessionOptions } from './session-contract.js';

export class SessionIdentity {
  id: bigint;
  password: Buffer;
  /** Requested until the first connection, then negotiated. */
  timeoutMs: number;
  private readonly options: SessionOptions;
  /** False for the id of a read-only server, which no other server knows. */
  private isGlobal: boolean;
  /** Whether a server created or resumed it for this client. */
  private wasGranted = false;
  private zxidHigh = 0;
  private zxidLow = 0;

  constructor(options: SessionOptions) {
    this.options = options;
    this.id = options.session?.id ?? 0n;
    this.password = options.session?.password ?? NO_PASSWORD;
    this.isGlobal = options.session !== undefined;
    this.timeoutMs = options.sessionTimeoutMs;
  }

  get lastZxid(): bigint {
    return (BigInt(this.zxidHigh) << 32n) | BigInt(this.zxidLow >>> 0);
  }

  /** Ignores 0 (reply to auth) and -1 (reply to an unknown operation): they are not zxids. */
  recordZxid(zxidHigh: number, zxidLow: number): void {
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

  get refusal(): string {
    if (!this.isGlobal) return 'opened no session';
    if (this.wasGranted) return 'reports that the session has expired';
    // A server answers a wrong password in the same way.
    return `refused session ${formatSessionId(this.id)}: it expired, or its password is wrong`;
  }

  /** A new session follows the expired one: as for a new client. */
  renew(): void {
    this.id = 0n;
    this.password = NO_PASSWORD;
    this.timeoutMs = this.options.sessionTimeoutMs;
    this.isGlobal = false;
    this.wasGranted = false;
    this.zxidHigh = 0;
    this.zxidLow = 0;
  }

  adopt(welcome: Welcome): void {
    this.id = welcome.sessionId;
    this.password = welcome.password;
    this.timeoutMs = welcome.timeoutMs;
    this.isGlobal ||= !welcome.isReadOnly;
    this.wasGranted ||= !welcome.isReadOnly;
  }
}
