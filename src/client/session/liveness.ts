import type { SessionIdentity } from './session-identity.js';

/**
 * When a client must send, and how long it waits. It sends a ping after a third of the session
 * timeout without a request. It leaves a server that is silent for two thirds, so that a third
 * remains to find another one (Programmer's Guide, "ZooKeeper Sessions"). After four thirds without
 * an answer to the session it counts the session as expired, as Java's client does since 3.9.4.
 */
export class Liveness {
  sentMs = 0;
  /** The last bytes of this connection. */
  receivedMs = 0;
  /**
   * The last whole frame for this session; undefined before the first connection. Bytes alone do
   * not count: a server could send an endless frame byte by byte.
   */
  answeredMs: number | undefined;
  private readonly identity: SessionIdentity;

  constructor(identity: SessionIdentity) {
    this.identity = identity;
  }

  established(nowMs: number): void {
    this.sentMs = nowMs;
    this.answeredMs = nowMs;
  }

  /** When to ask the questions below again. */
  nextDeadlineMs(isEstablished: boolean): number {
    const { timeoutMs } = this.identity;
    const expiryMs = (this.answeredMs ?? Number.POSITIVE_INFINITY) + (timeoutMs * 4) / 3;
    if (!isEstablished) return expiryMs;
    return Math.min(expiryMs, this.sentMs + timeoutMs / 3, this.receivedMs + (timeoutMs * 2) / 3);
  }

  /** Why the session counts as expired, or undefined if it does not. */
  expiry(nowMs: number): Error | undefined {
    const { timeoutMs } = this.identity;
    const silentMs = this.silentMs(nowMs);
    if (silentMs < (timeoutMs * 4) / 3) return undefined;
    const ofMs = `${Math.round(silentMs)} ms, with a session timeout of ${timeoutMs} ms`;
    return new Error(`no server answered for ${ofMs}`);
  }

  /** Why to leave the server, or undefined to stay. */
  silence(nowMs: number): string | undefined {
    const silentMs = nowMs - this.receivedMs;
    const isSilent = silentMs >= (this.identity.timeoutMs * 2) / 3;
    return isSilent ? `was silent for ${Math.round(silentMs)} ms` : undefined;
  }

  /** How long no server has answered, in ms; 0 before the first connection. */
  silentMs(nowMs: number): number {
    return this.answeredMs === undefined ? 0 : nowMs - this.answeredMs;
  }

  isHeartbeatDue(nowMs: number): boolean {
    return nowMs - this.sentMs >= this.identity.timeoutMs / 3;
  }

  /**
   * Whether this process did nothing for a whole session timeout, for example because it was
   * stopped. The server may have expired the session, and bytes that wait in the socket are old.
   */
  hasSlept(nowMs: number): boolean {
    return nowMs - Math.max(this.sentMs, this.receivedMs) >= this.identity.timeoutMs;
  }
}
