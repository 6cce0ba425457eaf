import type { SessionIdentity } from './session-identity.js';

/**
 * The timers of a session. The client sends a ping after 1/3 of the session timeout without a
 * request. It leaves a server that is silent for 2/3, so that 1/3 remains to find another
 * (Programmer's Guide, "ZooKeeper Sessions"). After 4/3 without an answer to the session, it counts
 * the session as expired, as Java's client does since 3.9.4.
 */
export class Liveness {
  sentMs = 0;
  receivedMs = 0;
  /**
   * Time of the last whole frame for this session; undefined before the first connection. Bytes do
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

  /** A new session begins. */
  renewed(): void {
    this.answeredMs = undefined;
  }

  nextDeadlineMs(isEstablished: boolean): number {
    const { timeoutMs } = this.identity;
    const expiryMs = (this.answeredMs ?? Number.POSITIVE_INFINITY) + (timeoutMs * 4) / 3;
    if (!isEstablished) return expiryMs;
    return Math.min(expiryMs, this.sentMs + timeoutMs / 3, this.receivedMs + (timeoutMs * 2) / 3);
  }

  expiry(nowMs: number): Error | undefined {
    const { timeoutMs } = this.identity;
    const silentMs = this.silentMs(nowMs);
    if (silentMs < (timeoutMs * 4) / 3) return undefined;
    const ofMs = `${Math.round(silentMs)} ms, with a session timeout of ${timeoutMs} ms`;
    return new Error(`no server answered for ${ofMs}`);
  }

  silence(nowMs: number): string | undefined {
    const silentMs = nowMs - this.receivedMs;
    const isSilent = silentMs >= (this.identity.timeoutMs * 2) / 3;
    return isSilent ? `was silent for ${Math.round(silentMs)} ms` : undefined;
  }

  /** Time without an answer of any server, in ms; 0 before the first connection. */
  silentMs(nowMs: number): number {
    return this.answeredMs === undefined ? 0 : nowMs - this.answeredMs;
  }

  isHeartbeatDue(nowMs: number): boolean {
    return nowMs - this.sentMs >= this.identity.timeoutMs / 3;
  }

  /**
   * Whether this process did not run for a whole session timeout, for example after SIGSTOP. The
   * server may have expired the session, and the bytes in the socket are old.
   */
  hasSlept(nowMs: number): boolean {
    return nowMs - Math.max(this.sentMs, this.receivedMs) >= this.identity.timeoutMs;
  }
}
