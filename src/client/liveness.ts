import type { SessionIdentity } from './session-identity.js';

/**
 * When a client must send, and how long it waits. It sends a ping after a third of the session
 * timeout without a request. It leaves a server that is silent for two thirds, so that a third
 * remains to find another one (Programmer's Guide, "ZooKeeper Sessions").
 */
export class Liveness {
  sentMs = 0;
  receivedMs = 0;
  private readonly identity: SessionIdentity;

  constructor(identity: SessionIdentity) {
    this.identity = identity;
  }

  get nextDeadlineMs(): number {
    const { timeoutMs } = this.identity;
    return Math.min(this.sentMs + timeoutMs / 3, this.receivedMs + (timeoutMs * 2) / 3);
  }

  isHeartbeatDue(nowMs: number): boolean {
    return nowMs - this.sentMs >= this.identity.timeoutMs / 3;
  }

  isSilent(nowMs: number): boolean {
    return nowMs - this.receivedMs >= (this.identity.timeoutMs * 2) / 3;
  }
}
