import type { Run } from '../../src/jute/run.js';
import { CommittedLog } from '../../src/server/quorum/committed-log.js';
import { QuorumPeer } from '../../src/server/quorum/quorum-peer.js';
import type { Data } from '../../src/server/quorum/role.js';

/** A txn that a member counts as committed. */
export interface Delivered {
  readonly zxid: bigint;
  readonly entry: Buffer;
}

/** Few, so that learners that come back lack more than is kept. */
const KEPT_TXNS = 20;

/** A committed log that says what comes into it. */
export class WatchedLog extends CommittedLog {
  onAdd: (txn: Delivered) => void = () => undefined;

  constructor() {
    super(KEPT_TXNS, 0);
  }

  override add(zxid: bigint, entry: Run): void {
    super.add(zxid, entry);
    this.onAdd({ zxid, entry: entry.view() });
  }
}

/**
 * A member as the simulation watches it. What goes into the committed log while a role ends was
 * logged and not committed: the peer says so in its note before.
 */
export class WatchedPeer extends QuorumPeer {
  isEnding = false;
  onReplaced: (data: Data) => void = () => undefined;
  /** It leads an epoch: told at once, as it may hand over in the same step. */
  onLeading: () => void = () => undefined;

  override replaceData(data: Data): void {
    super.replaceData(data);
    this.onReplaced(data);
  }

  override established(epoch: number): void {
    super.established(epoch);
    if (this.isLeading) this.onLeading();
  }

  override note(message: string): void {
    if (message.includes(' is over: ')) this.isEnding = true;
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
