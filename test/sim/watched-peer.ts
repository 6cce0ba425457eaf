import type { ByteRange } from '../../src/jute/byte-range.js';
import { CommittedLog } from '../../src/server/quorum/peer/committed-log.js';
import type { Data } from '../../src/server/quorum/peer/role.js';
import type { QuorumPeerParts } from '../../src/server/quorum/peer-parts.js';
import { QuorumPeer } from '../../src/server/quorum/quorum-peer.js';

/** A txn that a member counts as committed. */
export interface Delivered {
  readonly zxid: bigint;
  readonly entry: Buffer;
}

/** Few, so that learners that come back lack more than is kept. */
const KEPT_TXNS = 20;

/** A committed log that says what comes into it. */
export class WatchedLog extends CommittedLog {
  /** All that came since the start, also what the log keeps no more. */
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
 * A member as the simulation watches it. What goes into the committed log while a role ends was
 * logged and not committed: the peer says so in its note before.
 */
export class WatchedPeer extends QuorumPeer {
  readonly log: WatchedLog;
  isEnding = false;
  /** A plant changed its tree or digest: it is to notice, and to take its leader's. */
  isSpoilt = false;
  wasSpoilt = false;
  onReplaced: (data: Data) => void = () => undefined;
  /** It leads an epoch: told at once, as it may hand over in the same step. */
  onLeading: () => void = () => undefined;

  constructor(parts: QuorumPeerParts & { readonly committedLog: WatchedLog }) {
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
    if (message.startsWith('stopped ')) this.isEnding = true;
    else if (/^(this server|server \d+) leads$/.test(message)) this.isEnding = false;
    super.note(message);
  }

  /** Is it in an epoch that a quorum has established, as far as it knows? */
  get isEstablished(): boolean {
    return this.role !== null && this.role.phase === 'broadcast' && !this.isEnding;
  }

  get isLeading(): boolean {
    return this.isEstablished && this.role?.kind === 'leading';
  }
}
