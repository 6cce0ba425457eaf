/** A learner's connection upstream. It dials several times: a new leader may not listen yet. */
import { OutputArchive } from '../../../jute/output-archive.js';
import type { Id } from '../../../protocol/data.js';
import { LimitError } from '../../limits/limit-error.js';
import type { MasterAddress } from '../peer/observer-masters.js';
import type { Peer } from '../peer/peer.js';
import { PacketType, writePacket } from '../wire/quorum-packet.js';

/** As in Apache's learners. */
const CONNECT_TRIES = 5;

export class LeaderLink {
  /** Sent at the end of the turn. */
  readonly out = new OutputArchive(1024);
  heardMs: number;
  private readonly peer: Peer;
  private readonly master: MasterAddress;
  private readonly beganMs: number;
  private link = 0;
  private tries = 0;
  private retryAtMs = Number.POSITIVE_INFINITY;
  private isConnected = false;
  private isHeld = false;

  constructor(peer: Peer, master: MasterAddress) {
    const { delayMs: pauseMs } = master;
    this.peer = peer;
    this.master = master;
    this.beganMs = peer.nowMs + pauseMs;
    this.heardMs = this.beganMs;
    if (pauseMs > 0) this.retryAtMs = this.beganMs;
    else this.dial();
  }

  /** For messages. */
  get name(): string {
    const { leader, sid } = this.master;
    return `the ${sid === leader ? 'leader' : 'observer master'} (server ${sid})`;
  }

  get isOpen(): boolean {
    return this.link !== 0;
  }

  get silentMs(): number {
    return this.peer.nowMs - this.heardMs;
  }

  get nextWakeMs(): number {
    return this.retryAtMs;
  }

  private get connectMs(): number {
    const { tickTimeMs, connectToLearnerMasterLimit } = this.peer.limits;
    return tickTimeMs * connectToLearnerMasterLimit;
  }

  private dial(): void {
    this.tries++;
    this.retryAtMs = Number.POSITIVE_INFINITY;
    this.link = this.peer.nextLink();
    const { link, connectMs: timeoutMs } = this;
    const { addresses } = this.master;
    this.peer.emit({ kind: 'link-dial', link, addresses, timeoutMs });
  }

  is(link: number): boolean {
    return link === this.link;
  }

  opened(): void {
    this.isConnected = true;
    this.heardMs = this.peer.nowMs;
  }

  /** Schedules another try; false if no try is left. */
  closed(): boolean {
    const { nowMs, limits } = this.peer;
    const isLate = nowMs - this.beganMs >= this.connectMs;
    if (this.isConnected || this.tries >= CONNECT_TRIES || isLate) {
      this.link = 0;
      return false;
    }
    this.retryAtMs = nowMs + limits.leaderConnectDelayDuringRetryMs;
    return true;
  }

  tick(): void {
    if (this.peer.nowMs >= this.retryAtMs) this.dial();
  }

  /** While this server waits for its disk, what the leader sends must not fill the memory. */
  hold(isHeld: boolean): void {
    if (isHeld === this.isHeld || this.link === 0) return;
    this.isHeld = isHeld;
    // What waits in the socket does not tell how long the leader was silent.
    if (!isHeld) this.heardMs = this.peer.nowMs;
    this.peer.emit({ kind: 'link-hold', link: this.link, isHeld });
  }

  request(data: Uint8Array, ids: readonly Id[]): void {
    writePacket(this.out, PacketType.REQUEST, -1n, data, ids);
  }

  revalidate(data: Buffer): void {
    writePacket(this.out, PacketType.REVALIDATE, -1n, data);
  }

  reportLimit(error: Error): void {
    if (!(error instanceof LimitError)) return;
    this.peer.exceeded(error.limit, `server ${this.master.sid}`, error.value);
  }

  drain(): void {
    const { out, link } = this;
    if (out.length === 0) return;
    if (link === 0) out.reset();
    else this.peer.emit({ kind: 'link-send', link, bytes: out.take() });
  }

  close(): void {
    this.drain();
    if (this.link !== 0) this.peer.emit({ kind: 'link-close', link: this.link });
    this.link = 0;
    this.retryAtMs = Number.POSITIVE_INFINITY;
  }
}
