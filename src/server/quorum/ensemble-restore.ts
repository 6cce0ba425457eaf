/**
 * Replaces the tree of a whole ensemble (restore of the AdminServer). The leader does it, as if the
 * new tree were one more txn of its epoch:
 *
 * ```
 *   restore ─▶ hold all events ─▶ the disk is idle ─▶ adopt-restored ─▶ restored
 *           ─▶ look for a leader with the new tree ─▶ lead again ─▶ the others take the tree (SNAP)
 * ```
 *
 * The zxid of the tree is above every txn of the epoch, so this server wins against the members
 * that followed it. If another one wins, the tree is dropped as a txn without a quorum would be.
 * The links stay open until the disk has the tree, so nobody looks for a leader before.
 */
import { assert } from '../../base/assert.js';
import { zxidEpoch } from '../../protocol/zxid.js';
import type { Event } from '../events.js';
import type { Database } from '../persistence/replay.js';
import { leaveTree } from '../tree/tree-memory.js';
import { Leader } from './leading/leader.js';
import { Learner } from './learning/learner.js';
import type { Membership } from './membership/membership.js';
import { configData } from './membership/quorum-config.js';
import type { QuorumPeer } from './quorum-peer.js';

const LAST_COUNTER = 0xffff_ffffn;
/** Counters that must be left, so that writes during the transfer do not reach the new zxid. */
const MIN_ROOM = 1n << 24n;

export class EnsembleRestore {
  private readonly peer: QuorumPeer;
  /** The restore under way, until the disk has its tree; null without one. */
  private pending: Extract<Event, { kind: 'restore' }> | null = null;
  /** The disk was asked to adopt the tree of `pending`. */
  private isAdopting = false;
  /** The events that wait for the restore, in order; empty without one. */
  private readonly held: Event[] = [];
  /** The last clock event that waits; null without one. */
  private now: Event | null = null;
  /** When this server stops waiting to lead with the new tree; null without one. */
  private deadlineMs: number | null = null;

  constructor(peer: QuorumPeer) {
    this.peer = peer;
  }

  get isHolding(): boolean {
    return this.pending !== null;
  }

  /** Why this member cannot restore now, or "". */
  problem(): string {
    const { role, membership } = this.peer;
    if (this.isHolding || this.deadlineMs !== null) return 'another restore is under way';
    if (role === null) return 'this member has no quorum, and only a leader can restore';
    if (!(role instanceof Leader)) {
      const at = role instanceof Learner ? leaderAt(membership, role.leaderSid) : '';
      return `this member follows: send the restore to the leader${at}, which restores all members`;
    }
    if (role.phase !== 'broadcast') return 'the leader does not serve yet';
    return membership.next === null ? '' : 'a reconfig is under way';
  }

  /**
   * Gives the tree the membership in force, and a zxid above those of writes during the transfer.
   * Returns why this server cannot restore, or "".
   */
  prepare({ tree }: Database): string {
    const problem = this.problem();
    if (problem !== '') return problem;
    const { membership, wallMs } = this.peer;
    const last = this.lastProposed;
    const room = (last | LAST_COUNTER) - last;
    if (room < MIN_ROOM) return 'the epoch has too few zxids left: restart the leader first';
    const { config } = membership;
    tree.setConfig(configData(config), config.version, wallMs);
    tree.lastProcessedZxid = last + room / 2n;
    assert(tree.lastProcessedZxid > last, 'zxid order: a restore before a txn', last);
    return '';
  }

  private get lastProposed(): bigint {
    const { role } = this.peer;
    const broadcast = role instanceof Leader ? role.broadcast : null;
    return broadcast?.outstanding.lastProposed ?? LAST_COUNTER << 32n;
  }

  /** Whether the event is for the restore, or must wait for it. */
  holds(event: Event): boolean {
    if (event.kind === 'restore') this.begin(event);
    else if (event.kind === 'restored') this.finish();
    else if (!this.isHolding || !HELD.has(event.kind)) return false;
    else if (event.kind === 'clock') this.now = event;
    else this.held.push(event);
    return true;
  }

  private begin(event: Extract<Event, { kind: 'restore' }>): void {
    const zxid = event.database.tree.lastProcessedZxid;
    const isNext = zxidEpoch(zxid) === this.peer.currentEpoch && zxid > this.lastProposed;
    const problem = this.problem() || (isNext ? '' : 'the leader changed meanwhile: try again');
    if (problem === '') this.pending = event;
    else this.end(problem);
  }

  /** @param isDiskIdle whether every earlier effect on the disk is complete */
  drain(isDiskIdle: boolean): void {
    const { peer, pending } = this;
    if (pending !== null && !this.isAdopting) {
      if (!(peer.role instanceof Leader)) {
        this.pending = null;
        this.end('this server stopped leading: try again on the new leader');
        this.release();
      } else if (isDiskIdle) {
        assert(this.deadlineMs === null, 'role: two restores at once');
        this.isAdopting = true;
        const { staged } = pending;
        peer.emit({ kind: 'adopt-restored', staged, whenDurable: { kind: 'restored' } });
      }
    }
    if (this.deadlineMs !== null) this.checkOutcome(this.deadlineMs);
  }

  private finish(): void {
    const { peer, pending } = this;
    if (pending === null) return;
    const { tree, sessions } = pending.database;
    assert(this.isAdopting, 'disk: a restored tree that nobody asked for', tree.lastProcessedZxid);
    this.pending = null;
    this.isAdopting = false;
    const { initLimit, tickTimeMs } = peer.limits;
    this.deadlineMs = peer.nowMs + 2 * initLimit * tickTimeMs;
    peer.endRole('an operator restored another tree');
    assert(peer.role === null, 'role: outlives a restore', peer.role?.kind);
    peer.replaceData({ tree, sessions: [...sessions.values()] });
    peer.snapshots.rearm();
    leaveTree();
    peer.settle();
    this.release();
  }

  private release(): void {
    const { now } = this;
    assert(this.pending === null, 'role: events pass a restore', this.held.length);
    const held = this.held.splice(0);
    this.now = null;
    for (const event of now === null ? held : [now, ...held]) this.peer.step(event);
  }

  private checkOutcome(deadlineMs: number): void {
    const { role } = this.peer;
    if (role instanceof Leader) {
      // It ends by itself if those that take the tree make no progress.
      if (role.phase === 'discovery') this.checkDeadline(deadlineMs);
      else if (role.phase === 'broadcast') this.end('');
      return;
    }
    if (role !== null) {
      this.end(
        'another server leads now: check whether it has the restored tree, or try again there',
      );
    }
    this.checkDeadline(deadlineMs);
  }

  private checkDeadline(deadlineMs: number): void {
    if (this.deadlineMs !== null && this.peer.nowMs >= deadlineMs) {
      this.end('no quorum has the restored tree yet: it counts if this server leads next');
    }
  }

  private end(problem: string): void {
    this.deadlineMs = null;
    this.peer.emit({ kind: 'restore-ended', problem });
  }
}

/** Events that could bring new txns, or an answer to the old tree. */
const HELD: ReadonlySet<Event['kind']> = new Set([
  'clock',
  'connected',
  'received',
  'disconnected',
  'evicted',
  'drained',
  'notified',
  'link-opened',
  'link-received',
  'link-closed',
]);

/** ", server 3 at zk3" */
function leaderAt({ config }: Membership, sid: number): string {
  const [address] = config.members.get(sid)?.addresses ?? [];
  return address === undefined ? '' : `, server ${sid} at ${address.host}`;
}
