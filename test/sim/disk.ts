import type { QuorumEffect } from '../../src/server/effects.js';
import { encodeEpoch, TEMPORARY_SUFFIX } from '../../src/server/persistence/epochs.js';
import { logFileName, snapshotFileName } from '../../src/server/persistence/file-names.js';
import type { LogPlace, LogRange } from '../../src/server/persistence/log-search.js';
import type { Database } from '../../src/server/persistence/replay.js';
import { writeSnapshot } from '../../src/server/persistence/snapshot.js';
import { sourceOf } from '../../src/server/persistence/snapshot-source.js';
import { encodeLogHeader } from '../../src/server/persistence/txn-log.js';
import type { QuorumConfig } from '../../src/server/quorum/quorum-config.js';
import type { SnapshotContent } from '../../src/server/snapshot-content.js';
import type { Random } from '../support/random.js';
import type { Scheduler, Timer } from './scheduler.js';
import { parse } from './shape.js';
import { cutSteps, type Files, recover, searchLogs, snapshotBytes } from './stored-files.js';

const SECTOR = 512;
/** Small, so that much happens while a snapshot is written. */
const SNAPSHOT_CHUNK = 1024;
export const CONFIG_FILE = 'zoo.cfg.dynamic';

/** A piece of work that takes time, and that a crash may catch in the middle. */
interface Job {
  /** What it does to the files, one after the other. */
  readonly steps: () => readonly ((files: Files) => void)[];
  /** What a crash in the middle leaves, where that is not some of its steps. */
  readonly tear?: (files: Files) => void;
  readonly done: () => void;
  /** Does it change what lies there? */
  readonly isRewrite?: true;
}

/**
 * The disk of one server: what is in `files` survives a crash, what is on its way there may not, or
 * may in part. One thing is done at a time, in the order asked, but for fuzzy snapshots.
 */
export class SimDisk {
  readonly files: Files = new Map();
  protected readonly random: Random;
  protected readonly scheduler: Scheduler;
  private jobs: Job[] = [];
  private timer: Timer | null = null;
  private configTimer: Timer | null = null;
  private log: string | null = null;
  private snapshot: { chunks: Iterator<Buffer>; finish: () => void; timer: Timer } | null = null;
  /** How far the tree had come when a snapshot was whole; the next process does not know it. */
  private reached = new Map<string, bigint>();
  maxDelayMs = 6;

  constructor(scheduler: Scheduler, random: Random) {
    this.scheduler = scheduler;
    this.random = random;
  }

  get isIdle(): boolean {
    return this.jobs.length === 0;
  }

  /** The power goes: the job at hand is done in part, the others are forgotten. */
  crash(): void {
    const [job] = this.jobs;
    if (this.timer !== null && job !== undefined) {
      if (job.tear !== undefined) {
        job.tear(this.files);
      } else {
        const steps = job.steps();
        for (const step of steps.slice(0, this.random.below(steps.length + 1))) step(this.files);
      }
    }
    this.timer?.cancel();
    this.timer = null;
    this.configTimer?.cancel();
    this.jobs = [];
    this.snapshot?.timer.cancel();
    this.snapshot = null;
    this.reached = new Map();
    this.log = null;
  }

  /** The membership that was kept last; undefined where that is none yet. */
  get config(): QuorumConfig | undefined {
    const text = this.files.get(CONFIG_FILE);
    return text === undefined ? undefined : parse(text.toString());
  }

  /** Nobody waits for it: when the power goes before, it was never asked for. */
  writeConfig(text: string): void {
    this.configTimer?.cancel();
    this.configTimer = this.later(() => this.files.set(CONFIG_FILE, Buffer.from(text)));
  }

  append(bytes: Buffer, firstZxid: bigint, done: () => void): void {
    this.add({
      steps: () => [(files) => this.write(files, bytes, firstZxid)],
      tear: (files) => this.writePart(files, bytes, firstZxid),
      done,
    });
  }

  writeEpoch(
    { name, epoch }: Extract<QuorumEffect, { kind: 'write-epoch' }>,
    done: () => void,
  ): void {
    const text = Buffer.from(encodeEpoch(epoch));
    const temporary = name + TEMPORARY_SUFFIX;
    this.add({
      steps: () => [
        (files) => files.set(temporary, text),
        (files) => files.set(name, text).delete(temporary),
      ],
      done,
    });
  }

  /** @param done is given what is left, or why a server would stop */
  truncate(zxid: bigint, done: (found: Database | Error) => void): void {
    this.add({
      isRewrite: true,
      steps: () => {
        this.finishSnapshot();
        this.log = null;
        return cutSteps(this.files, zxid, this.reached);
      },
      done: () => {
        try {
          done(recover(this.files).database);
        } catch (error) {
          done(error as Error);
        }
      },
    });
  }

  install(content: SnapshotContent, done: () => void): void {
    const name = snapshotFileName(content.zxid);
    this.add({
      isRewrite: true,
      steps: () => {
        this.finishSnapshot();
        this.log = null;
        const bytes = snapshotBytes(content);
        const { lastProcessedZxid } = content.tree;
        this.reached.set(name, lastProcessedZxid);
        return [
          (files) => files.set(name, bytes),
          ...cutSteps(new Map(this.files).set(name, bytes), content.zxid, this.reached),
        ];
      },
      done,
    });
  }

  /** Looks through the log, when what was asked for before is done. */
  searchLog(range: LogRange, done: (place: LogPlace | null) => void): void {
    let place: LogPlace | null = null;
    this.add({
      steps: () => {
        place = searchLogs(this.files, range);
        return [];
      },
      done: () => done(place),
    });
  }

  /**
   * A fuzzy snapshot, written while the tree goes on changing. It has its name when all is on the
   * disk that the tree had by then, and never behind a change of the log.
   */
  takeSnapshot(content: SnapshotContent): void {
    this.log = null;
    if (this.snapshot !== null) return;
    const parts: Buffer[] = [];
    const chunks = writeSnapshot(sourceOf(content, true), SNAPSHOT_CHUNK);
    const name = snapshotFileName(content.zxid);
    const finish = (): void => {
      this.files.set(name, Buffer.concat(parts));
      this.reached.set(name, content.tree.lastProcessedZxid);
      this.snapshot = null;
    };
    const finishLater = (): void => {
      this.snapshot = null;
      if (this.jobs.some(({ isRewrite }) => isRewrite === true)) return;
      const { lastProcessedZxid } = content.tree;
      const nameIt = (files: Files): void => {
        files.set(name, Buffer.concat(parts));
        this.reached.set(name, lastProcessedZxid);
      };
      this.add({ steps: () => [nameIt], done: () => undefined });
    };
    const next = (): void => {
      const { value, done } = chunks.next();
      if (done === true) finishLater();
      else {
        parts.push(value);
        if (this.snapshot !== null) this.snapshot.timer = this.later(next);
      }
    };
    const wrapped = {
      next: () => {
        const item = chunks.next();
        if (item.done !== true) parts.push(item.value);
        return item;
      },
    };
    this.snapshot = { chunks: wrapped, finish, timer: this.later(next) };
  }

  private finishSnapshot(): void {
    const { snapshot } = this;
    if (snapshot === null) return;
    snapshot.timer.cancel();
    while (snapshot.chunks.next().done !== true);
    snapshot.finish();
  }

  private later(run: () => void): Timer {
    return this.scheduler.later(1 + this.random.below(this.maxDelayMs), run);
  }

  private add(job: Job): void {
    this.jobs.push(job);
    if (this.timer === null) this.begin();
  }

  private begin(): void {
    this.timer = this.later(() => {
      this.timer = null;
      const job = this.jobs.shift();
      for (const step of job?.steps() ?? []) step(this.files);
      job?.done();
      if (this.timer === null && this.jobs.length > 0) this.begin();
    });
  }

  private write(files: Files, bytes: Buffer, firstZxid: bigint): void {
    this.log ??= logFileName(firstZxid);
    files.set(this.log, Buffer.concat([files.get(this.log) ?? encodeLogHeader(), bytes]));
  }

  /** Any of the sectors may have been written, and what was not is zeros, or beyond the end. */
  private writePart(files: Files, bytes: Buffer, firstZxid: bigint): void {
    const name = this.log ?? logFileName(firstZxid);
    const before = files.get(name) ?? Buffer.alloc(0);
    const added = before.length === 0 ? Buffer.concat([encodeLogHeader(), bytes]) : bytes;
    const whole = Buffer.concat([before, added]);
    if (this.random.oneIn(2)) {
      files.set(name, whole.subarray(0, before.length + this.random.below(added.length + 1)));
      return;
    }
    // A header without a sector of its own is written before anything that follows it.
    const isNew = before.length === 0;
    for (let at = before.length; at < whole.length; ) {
      const end = Math.min(whole.length, at - (at % SECTOR) + SECTOR);
      if (this.random.oneIn(2) && !(isNew && at < SECTOR)) whole.fill(0, at, end);
      at = end;
    }
    files.set(name, whole);
  }
}
