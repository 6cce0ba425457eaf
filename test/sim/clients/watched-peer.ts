import type { ByteRange } from '../../../src/jute/byte-range.js';
import { CommittedLog } from '../../../src/server/quorum/peer/committed-log.js';
import type { PeerParts } from '../../../src/server/quorum/peer/peer.js';
import type { Data } from '../../../src/server/quorum/peer/role.js';
import { QuorumPeer } from '../../../src/server/quorum/quorum-peer.js';
import type { Offer } from '../nodes/ack-watch.js';

/** A txn that a member counts as committed. */
export interface Delivered {
  readonly zxid: bigint;
  readonly entry: Buffer;
}

/** Small, so that returning learners lack more txns than the log keeps. */
const KEPT_TXNS = 20;

/** A committed log that reports each added txn. */
export class WatchedLog extends CommittedLog {
  /** All txns since the start, including those that the log no longer keeps. */
  readonly all: Delivered[] = [];
  onAdd: (txn: Delivered) => void = () => undefined;

  constructor() {
    super(KEPT_TXNS, 0);
  }

  override clear(): void {
    super.clear();
    this.all.length = 0;
  }

  override add(zxid: bigint, entry: ByteRange): void {
    super.add(zxid, entry);
    const txn = { zxid, entry: entry.view() };
    this.all.push(txn);
    this.onAdd(txn);
  }
}

/**
 * A member that the simulation watches. Txns added to the committed log at the end of a role were
 * logged and not committed. The peer marks them first.
 */
export class WatchedPeer extends QuorumPeer {
  readonly log: WatchedLog;
  isEnding = false;
  /** A plant changed its tree or digest. It must notice, and take its leader's tree. */
  isSpoilt = false;
  wasSpoilt = false;
  /** Its history when it began to lead. */
  offer: Offer | null = null;
  onReplaced: (data: Data) => void = () => undefined;
  /** It leads an epoch. Called at once, because it may hand over in the same step. */
  onLeading: () => void = () => undefined;

  constructor(parts: PeerParts & { readonly committedLog: WatchedLog }) {
    super(parts);
    this.log = parts.committedLog;
  }

  override replaceData(data: Data): void {
    super.replaceData(data);
    this.isSpoilt = false;
    this.onReplaced(data);
  }

  override established(epoch: number): void {
    super.established(epoch);
    if (this.isLeading) this.onLeading();
  }

  override note(message: string): void {
    if (message === 'this server leads')
      this.offer = { epoch: this.currentEpoch, zxid: this.data.tree.lastProcessedZxid };
    if (message.startsWith('stopped ')) this.isEnding = true;
    else if (/^(this server|server \d+) leads$/.test(message)) this.isEnding = false;
    super.note(message);
  }

  /** Whether it knows that a quorum has established its epoch. */
  get isEstablished(): boolean {
    return this.role !== null && this.role.phase === 'broadcast' && !this.isEnding;
  }

  get isLeading(): boolean {
    return this.isEstablished && this.role?.kind === 'leading';
  }
}
