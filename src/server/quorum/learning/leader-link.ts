/** A learner's connection upstream. It dials several times: a new leader may not listen yet. */
import { assert } from '../../../base/assert.js';
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
  /** When the leader last sent bytes, or could, in monotonic ms; never falls. */
  heardMs: number;
  private readonly peer: Peer;
  private readonly master: MasterAddress;
  private readonly beganMs: number;
  /** The last one dialed, negative; 0 before, and once it is closed for good. */
  private link = 0;
  /** Links dialed, at most CONNECT_TRIES. */
  private tries = 0;
  /** When it dials again, in monotonic ms; Infinity if it does not. */
  private retryAtMs = Number.POSITIVE_INFINITY;
  /** The link was opened: if it closes, this server does not dial again. */
  private isConnected = false;
  /** The driver reads nothing of the link. */
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
    assert(!this.isConnected, 'link: dials again, though it was open', this.link);
    this.tries++;
    assert(this.tries <= CONNECT_TRIES, 'link: dials too often', this.tries);
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
    assert(this.link !== 0 && !this.isConnected, 'link: opened twice', this.link);
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
    assert(this.isConnected, 'link: held before it is open', this.link);
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

  /** For an observer master. */
  nameObservers(data: Buffer): void {
    writePacket(this.out, PacketType.KEEPER_DIALECT, -1n, data);
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
