/**
 * Drives a server: feeds it events, performs its effects in order. All events of one turn of the
 * event loop are stepped before one drain, so a turn makes one write a connection and one append.
 */
import type { Effect } from '../effects.js';
import type { Event } from '../events.js';
import type { Server } from '../server.js';
import type { Measured } from '../server-stats.js';
import type { SnapshotContent } from '../snapshot-content.js';
import type { ClientPort } from './client-port.js';
import type { DataDir } from './data-dir.js';
import type { LogDisk } from './log-disk.js';
import type { ServerReport } from './logger.js';

export interface Storage {
  readonly log: LogDisk;
  readonly dir: DataDir;
}

export interface SnapshotFile {
  readonly path: string;
  readonly zxid: bigint;
}

export interface DriverOptions {
  readonly server: Server;
  /** Null keeps nothing: what is appended counts as durable when the turn is over. */
  readonly storage: Storage | null;
  readonly tickTimeMs: number;
  /** autopurge; everyMs 0 is never. */
  readonly purge: { readonly everyMs: number; readonly retain: number };
  readonly onWarning: (message: string) => void;
  readonly onReport: (report: ServerReport) => void;
  /** An error nobody expected: the server is in doubt and must stop. */
  readonly onFatal: (error: unknown) => void;
}

/** How often sessions are looked at, at most; buckets are whole ticks. */
const MAX_TICK_MS = 500;

export class Driver {
  port: ClientPort | null = null;
  private readonly options: DriverOptions;
  private isScheduled = false;
  private isStopped = false;
  private timer: NodeJS.Timeout | null = null;
  private purgeTimer: NodeJS.Timeout | null = null;
  private purging: Promise<void> | null = null;
  private snapshot: Promise<void> | null = null;
  private readonly drainSoon = (): void => this.drain();

  constructor(options: DriverOptions) {
    this.options = options;
  }

  start(): void {
    const everyMs = Math.max(1, Math.min(this.options.tickTimeMs / 2, MAX_TICK_MS));
    this.timer = setInterval(() => this.wake(), everyMs);
    this.startPurging();
  }

  /** At the start too, as Apache's server does. */
  private startPurging(): void {
    const { storage, purge, onWarning, onReport } = this.options;
    if (storage === null || purge.everyMs === 0) return;
    const run = (): void => {
      this.purging ??= storage.dir
        .purge(purge.retain)
        .then((files) => {
          if (files.length > 0) onReport({ kind: 'purged', files });
        })
        .catch((error: Error) => onWarning(`old files were not purged: ${error.message}`))
        .finally(() => {
          this.purging = null;
        });
    };
    run();
    this.purgeTimer = setInterval(run, purge.everyMs);
  }

  readonly step = (event: Event): void => {
    if (this.isStopped) return;
    this.wake();
    try {
      this.options.server.step(event);
    } catch (error) {
      this.fail(error);
    }
  };

  /** @param value a duration in ms, or a count; it is told in whole ones */
  measured(what: Measured, value: number): void {
    this.step({ kind: 'measured', what, value: Math.round(value) });
  }

  /** The first event of a turn brings the time and asks for the drain. */
  private wake(): void {
    if (this.isScheduled || this.isStopped) return;
    this.isScheduled = true;
    setImmediate(this.drainSoon);
    try {
      this.options.server.step({
        kind: 'clock',
        wallMs: Date.now(),
        monotonicMs: Math.floor(performance.now()),
      });
    } catch (error) {
      this.fail(error);
    }
  }

  private drain(): void {
    this.isScheduled = false;
    // Without a disk an append is durable at once, and its replies belong to this turn.
    while (!this.isStopped) {
      const effects = this.options.server.drain();
      if (effects.length === 0) return;
      let isMoreLeft = false;
      for (const effect of effects) {
        if (effect.kind === 'wake') isMoreLeft = true;
        else this.perform(effect);
      }
      if (!isMoreLeft) continue;
      this.wake();
      return;
    }
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
      case 'pause':
        this.port?.hold(effect.connection);
        break;
      case 'resume':
        this.port?.release(effect.connection);
        break;
      case 'snapshot':
        this.takeSnapshot(effect);
        break;
      case 'report':
        this.options.onReport(effect.report);
        break;
    }
  }

  private append(effect: Extract<Effect, { kind: 'append' }>): void {
    const { storage } = this.options;
    if (storage === null) {
      this.step(effect.whenDurable);
      return;
    }
    const startedAt = performance.now();
    storage.log.append(effect.bytes, effect.firstZxid, () => {
      this.measured('flush-time', performance.now() - startedAt);
      this.step(effect.whenDurable);
    });
  }

  /** One at a time: while one is being written the log only rolls. */
  private takeSnapshot({ content }: Extract<Effect, { kind: 'snapshot' }>): void {
    const { storage, onWarning } = this.options;
    if (storage === null) return;
    storage.log.roll();
    if (this.snapshot !== null) return;
    this.snapshot = this.write(storage, content)
      .then(() => undefined)
      .catch((error: Error) => onWarning(`no snapshot was written: ${error.message}`))
      .finally(() => {
        this.snapshot = null;
      });
  }

  /** Writes one for an operator, behind one that is being written; resolves to its path. */
  async writeSnapshot(content: () => SnapshotContent): Promise<SnapshotFile> {
    const { storage } = this.options;
    if (storage === null) throw new Error('there is no disk to write a snapshot to');
    while (this.snapshot !== null) await this.snapshot;
    const begun = content();
    const written = this.write(storage, begun);
    this.snapshot = written
      .then(() => undefined)
      .catch(() => undefined)
      .finally(() => {
        this.snapshot = null;
      });
    return { path: await written, zxid: begun.zxid };
  }

  private async write(storage: Storage, content: SnapshotContent): Promise<string> {
    const startedAt = performance.now();
    const path = await storage.dir.writeSnapshot(content);
    const ms = performance.now() - startedAt;
    this.measured('snapshottime', ms);
    this.options.onReport({ kind: 'snapshot-written', path, ms });
    return path;
  }

  private fail(error: unknown): void {
    this.isStopped = true;
    this.options.onFatal(error);
  }

  /** No further event is taken; what is on its way to the disk is waited for. */
  async stop(): Promise<void> {
    if (!this.isStopped) this.drain();
    this.isStopped = true;
    if (this.timer !== null) clearInterval(this.timer);
    if (this.purgeTimer !== null) clearInterval(this.purgeTimer);
    await this.purging;
    await this.snapshot;
    await this.options.storage?.log.close();
  }
}
