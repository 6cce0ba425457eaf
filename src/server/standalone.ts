/**
 * A standalone server that can replace its whole tree while it runs (restore of the AdminServer).
 * Connections stay, and so do the sessions in the new snapshot. Their watches stay, or fire if the
 * znode differs (pipeline/carry-watches.ts).
 *
 * ```
 *   restore ─▶ hold clients ─▶ the old tree answers its requests ─▶ adopt-restored ─▶ restored
 *           ─▶ carry watches, slice by slice ─▶ release clients
 * ```
 *
 * Client events wait here meanwhile. So no txn of the old tree follows the new one, and one tree
 * alone answers each request.
 */
import { assert } from '../base/assert.js';
import type { Effect } from './effects.js';
import type { Event } from './events.js';
import type { ServerStats } from './metrics/server-stats.js';
import type { SnapshotContent } from './persistence/snapshot-content.js';
import type { Server } from './server.js';
import { leaveTree } from './tree/tree-memory.js';

type Data = Pick<SnapshotContent, 'tree' | 'sessions'>;

/** @param stats the counters of the previous server */
export type MakeStandalone = (data: Data, stats?: ServerStats) => Server;

type Restore = Extract<Event, { kind: 'restore' }>;

export class Standalone {
  server: Server;
  private readonly make: MakeStandalone;
  private restore: Restore | null = null;
  private isAdopting = false;
  /** Compares the trees for the watches, slice by slice. */
  private carrying: Generator<void, void, undefined> | null = null;
  /** Client events to process after the restore. */
  private held: Event[] = [];
  /** Connections that are not read meanwhile, because their data would fill the memory. */
  private readonly quiet = new Set<number>();
  /** Effects that must leave before those of the current server. */
  private before: Effect[] = [];
  private now: Extract<Event, { kind: 'clock' }> = { kind: 'clock', wallMs: 0, monotonicMs: 0 };

  constructor(make: MakeStandalone, data: Data) {
    this.make = make;
    this.server = make(data);
  }

  get nextWakeMs(): number {
    return this.server.nextWakeMs;
  }

  get isRestoring(): boolean {
    return this.restore !== null;
  }

  step(event: Event): void {
    if (event.kind === 'clock') this.now = event;
    if (event.kind === 'restore') this.begin(event);
    else if (event.kind === 'restored') this.adopt();
    else if (this.restore !== null && OF_CLIENTS.has(event.kind)) this.hold(event);
    else this.server.step(event);
  }

  drain(): readonly Effect[] {
    this.carry();
    const effects = this.server.drain();
    const { before, restore } = this;
    const isIdle = restore !== null && !this.isAdopting && this.server.outstandingRequests === 0;
    if (before.length === 0 && !isIdle) return effects;
    this.before = [];
    const all = [...before, ...effects];
    if (!isIdle) return all;
    this.isAdopting = true;
    all.push({
      kind: 'adopt-restored',
      staged: restore.staged,
      whenDurable: { kind: 'restored' },
    });
    return all;
  }

  private begin(event: Restore): void {
    assert(this.restore === null, 'role: two restores at once');
    this.restore = event;
    this.server.isHalting = true;
  }

  private hold(event: Event): void {
    this.held.push(event);
    if (event.kind !== 'received' || this.quiet.has(event.connection)) return;
    this.quiet.add(event.connection);
    this.before.push({ kind: 'pause', connection: event.connection });
  }

  private adopt(): void {
    const { restore, server: old } = this;
    assert(restore !== null, 'role: no restore is under way');
    const last = old.drain();
    const { tree, sessions } = restore.database;
    this.server = this.make({ tree, sessions: [...sessions.values()] }, old.state.stats);
    this.server.state.isRestored = true;
    this.server.step(this.now);
    this.server.isHalting = true;
    this.carrying = this.server.takeOver(old);
    this.before.push(...last.filter(({ kind }) => kind !== 'wake'));
    this.before.push({ kind: 'restore-ended', problem: '' });
  }

  private carry(): void {
    if (this.carrying === null) return;
    if (this.carrying.next().done === true) this.finish();
    else this.before.push({ kind: 'wake' });
  }

  private finish(): void {
    const { held } = this;
    this.carrying = null;
    leaveTree();
    this.server.isHalting = false;
    this.before.push(
      ...[...this.quiet].map((connection) => ({ kind: 'resume', connection }) as const),
    );
    this.quiet.clear();
    this.restore = null;
    this.isAdopting = false;
    this.held = [];
    for (const event of held) this.server.step(event);
  }
}

const OF_CLIENTS: ReadonlySet<Event['kind']> = new Set([
  'connected',
  'received',
  'disconnected',
  'evicted',
  'drained',
]);
