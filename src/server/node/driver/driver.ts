/**
 * Passes events to a server, and performs its effects in order. All events of one turn come before
 * one drain, so a turn makes one write per connection and one append.
 */
import { assert } from '../../../base/assert.js';
import type { Effect, QuorumEffect } from '../../effects.js';
import type { Event } from '../../events.js';
import { LIMITS } from '../../limits/limits.js';
import type { Measured } from '../../metrics/server-stats.js';
import type { Database } from '../../persistence/replay.js';
import type { SnapshotContent } from '../../persistence/snapshot-content.js';
import type { Server } from '../../server.js';
import type { ServerReport } from '../log/logger.js';
import type { ClientOutput } from '../ports/client-port.js';
import { Disk, type WrittenSnapshot } from '../storage/disk.js';
import type { Storage } from '../storage/disk-options.js';
import { isDiskEffect, type PeerPorts, performOnDisk, performOnPeers } from './perform.js';

export interface Core {
  readonly server: Server;
  /** Absent for a standalone server. */
  readonly role?: { readonly neededZxid: bigint | null } | null;
  step(event: Event): void;
  drain(): readonly Effect[];
  /** On the monotonic clock; Infinity is never. */
  readonly nextWakeMs: number;
}

export interface DriverOptions {
  readonly core: Core;
  /** Null keeps no data: appends count as durable at the end of the turn. */
  readonly storage: Storage | null;
  readonly tickTimeMs: number;
  readonly purge: { readonly everyMs: number; readonly retain: number };
  readonly onWarning: (message: string) => void;
  readonly onReport: (report: ServerReport) => void;
  /** The state is in doubt, so the server must stop. */
  readonly onFatal: (error: unknown) => void;
}

interface Time {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

export function realTime(): Time {
  return { wallMs: Date.now(), monotonicMs: Math.floor(performance.now()) };
}

/**
 * Whether the thread may wait for an append of this turn. A member with a blocked thread would
 * answer no ping, and one stalled disk would stop them all.
 */
export function isLoneAppend(events: number, isMember: boolean): boolean {
  return events === 1 && !isMember;
}

/** The longest time between two session checks; buckets are whole ticks. */
const MAX_TICK_MS = 500;

export class Driver {
  port: ClientOutput | null = null;
  /** A test of clients may replace it. */
  clock: () => Time = realTime;
  peers: PeerPorts | null = null;
  private readonly options: DriverOptions;
  /** A drain follows in this turn. */
  private isScheduled = false;
  /** Events stepped in this turn. */
  private events = 0;
  /** No more events are stepped; stays true. */
  private isStopped = false;
  private readonly disk: Disk | null;
  /** Begins a turn twice a tick or more often; undefined before `start`. */
  private timer: NodeJS.Timeout | undefined;
  /** Begins a turn at `alarmMs`. */
  private alarm: NodeJS.Timeout | undefined;
  /** The wish of the core that is set, in monotonic ms; Infinity for none. */
  private alarmMs = Number.POSITIVE_INFINITY;
  /** Resolves the promise of a restore. */
  private restored: ((problem: string) => void) | undefined;
  private readonly drainSoon = (): void => this.drain();

  constructor(options: DriverOptions) {
    this.options = options;
    const { storage, purge, onWarning, onReport } = options;
    this.disk =
      storage === null
        ? null
        : new Disk({
            storage,
            purge,
            neededZxid: () => options.core.role?.neededZxid ?? null,
            onWarning,
            onPurged: (files) => onReport({ kind: 'purged', files }),
            onSnapshot: (path, ms) => {
              this.measured('snapshottime', ms);
              onReport({ kind: 'snapshot-written', path, ms });
            },
            onFatal: (error) => this.fail(error),
          });
  }

  start(): void {
    const everyMs = Math.max(1, Math.min(this.options.tickTimeMs / 2, MAX_TICK_MS));
    let lastMs = performance.now();
    this.timer = setInterval(() => {
      const nowMs = performance.now();
      this.measured('pause', Math.max(0, nowMs - lastMs - everyMs));
      lastMs = nowMs;
    }, everyMs);
    this.disk?.startPurging();
    // A member of an ensemble starts by itself.
    this.wake();
  }

  readonly step = (event: Event): void => {
    if (this.isStopped) {
      this.reportLast(event);
      return;
    }
    this.wake();
    if (event.kind !== 'measured') this.events++;
    try {
      this.options.core.step(event);
    } catch (error) {
      this.fail(error);
    }
  };

  /** The core has stopped, but the last events of clients belong in the log. */
  private reportLast(event: Event): void {
    if (event.kind !== 'limit-exceeded') return;
    const { limit, from, value = LIMITS[limit].value } = event;
    this.options.onReport({ kind: 'limit-exceeded', limit, value, from, times: 1 });
  }

  /** @param value a duration in ms, or a count; rounded */
  measured(what: Measured, value: number): void {
    this.step({ kind: 'measured', what, value: Math.round(value) });
  }

  /** The first event of a turn updates the time and schedules the drain. */
  private wake(): void {
    if (this.isScheduled || this.isStopped) return;
    this.isScheduled = true;
    setImmediate(this.drainSoon);
    try {
      this.options.core.step({ kind: 'clock', ...this.clock() });
    } catch (error) {
      this.fail(error);
    }
  }

  private drain(): void {
    this.isScheduled = false;
    // Without a disk an append is durable at once, and its replies belong to this turn.
    while (!this.isStopped) {
      const effects = this.options.core.drain();
      if (effects.length === 0) break;
      let isMoreLeft = false;
      for (const effect of effects) {
        if (effect.kind === 'wake') isMoreLeft = true;
        else this.perform(effect);
      }
      if (!isMoreLeft) continue;
      this.wake();
      break;
    }
    this.events = 0;
    this.setAlarm();
  }

  private setAlarm(): void {
    const { nextWakeMs } = this.options.core;
    if (nextWakeMs === this.alarmMs || this.isStopped) return;
    clearTimeout(this.alarm);
    this.alarmMs = nextWakeMs;
    if (nextWakeMs === Number.POSITIVE_INFINITY) return;
    const ms = Math.min(Math.max(Math.ceil(nextWakeMs - this.clock().monotonicMs), 0), MAX_TICK_MS);
    this.alarm = setTimeout(() => {
      this.alarmMs = Number.POSITIVE_INFINITY;
      this.wake();
    }, ms);
  }

  private perform(effect: Effect): void {
    switch (effect.kind) {
      case 'send':
        this.port?.send(effect.connection, effect.bytes);
        break;
      case 'append':
        this.append(effect);
        break;
      case 'close':
        this.port?.close(effect.connection);
        break;
      case 'finish':
        this.port?.finish(effect.connection, effect.slices);
        break;
      case 'pause':
        this.port?.hold(effect.connection);
        break;
      case 'resume':
        this.port?.release(effect.connection);
        break;
      case 'await-reading':
        this.port?.awaitReading(effect.connection);
        break;
      case 'snapshot':
        this.disk?.takeSnapshot(effect.content);
        break;
      case 'adopt-restored':
        this.adoptRestored(effect);
        break;
      case 'restore-ended':
        this.restored?.(effect.problem);
        break;
      case 'report':
        this.options.onReport(effect.report);
        break;
      case 'wake':
        break;
      default:
        this.performQuorum(effect);
    }
  }

  private performQuorum(effect: QuorumEffect): void {
    const { peers, disk } = this;
    assert(disk !== null, 'disk: a member without one');
    assert(peers !== null, 'link: a member without ports for the others');
    if (isDiskEffect(effect)) performOnDisk(effect, disk, peers, this.step);
    else performOnPeers(effect, peers, this.step);
  }

  private append(effect: Extract<Effect, { kind: 'append' }>): void {
    if (this.disk === null) {
      this.step(effect.whenDurable);
      return;
    }
    const startedAt = performance.now();
    const onDurable = (): void => {
      this.measured('flush-time', performance.now() - startedAt);
      this.step(effect.whenDurable);
    };
    const isAlone = isLoneAppend(this.events, this.peers !== null);
    this.disk.append(effect.bytes, effect.firstZxid, onDurable, isAlone);
  }

  async writeSnapshot(content: () => SnapshotContent): Promise<WrittenSnapshot> {
    if (this.disk === null) throw new Error('a server in memory cannot write a snapshot');
    return await this.disk.writeSnapshot(content);
  }

  /**
   * Resolves to "" when this is the tree, and the only one on the disk, in an ensemble on those of
   * a quorum; otherwise to the reason. See `restore` of events.ts.
   */
  restore(database: Database, staged: string | null): Promise<string> {
    return new Promise((resolve) => {
      this.restored = resolve;
      this.step({ kind: 'restore', database, staged });
    });
  }

  private adoptRestored({
    staged,
    whenDurable,
  }: Extract<Effect, { kind: 'adopt-restored' }>): void {
    const go = (): void => this.step(whenDurable);
    if (this.disk === null || staged === null) go();
    else this.disk.adoptRestored(staged, go);
  }

  private fail(error: unknown): void {
    this.isStopped = true;
    this.options.onFatal(error);
  }

  /** Accepts no further events; waits for writes in progress. */
  async stop(): Promise<void> {
    // A driver that never started has no effects to perform.
    if (!this.isStopped && this.timer !== undefined) this.drain();
    this.isStopped = true;
    clearInterval(this.timer);
    clearTimeout(this.alarm);
    await this.disk?.close();
  }
}
