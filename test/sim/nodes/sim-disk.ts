import type { FileSystem } from '../../../src/server/node/storage/file-system.js';
import { Platter } from '../../support/bytes/platter.js';
import { type Call, type CallRunner, PlatterFiles } from '../../support/bytes/platter-files.js';
import type { Random } from '../../support/random.js';
import type { Scheduler } from '../scheduler.js';

export const DATA_DIR = '/data';
export const VERSION_FOLDER = `${DATA_DIR}/version-2`;
export const LOG_DIR = '/datalog';
const LOG_FOLDER = `${LOG_DIR}/version-2`;
export const CONFIG_FILE = '/data/zoo.cfg';
const EMPTY_CONFIG = 'tickTime=200\n';

/** How a disk misbehaves. */
export interface DiskManners {
  /** Handles the call itself, or returns false for the normal behavior. */
  handle?(call: Call, disk: SimDisk): boolean;
  /** The power is gone, and the remaining data is settled. */
  crashed?(disk: SimDisk): void;
}

/**
 * The disk of one server under the product's code. Calls take time and end in any order. A crash
 * keeps, loses, or tears calls in flight and unsynced data.
 */
export class SimDisk {
  readonly platter = new Platter();
  maxDelayMs = 6;
  /** Every write fails with it: 'ENOSPC' or 'EIO'. */
  error: 'ENOSPC' | 'EIO' | null = null;
  /** Whether a call has failed since the last start. */
  hasFailed = false;
  readonly random: Random;
  private readonly scheduler: Scheduler;
  private readonly manners: DiskManners;
  private life = 0;
  /** No call ends before this time. */
  private stalledUntilMs = 0;
  /** Called if the process itself waits for a stalled call. */
  onBlocked: (ms: number) => void = () => undefined;
  private underWay = new Set<Call>();

  constructor(scheduler: Scheduler, random: Random, manners: DiskManners = {}) {
    this.scheduler = scheduler;
    this.random = random;
    this.manners = manners;
    this.platter.makeFolder(DATA_DIR);
    this.platter.makeFolder(LOG_DIR);
    this.forgetConfig();
  }

  get nowMs(): number {
    return this.scheduler.nowMs;
  }

  /** Whether no call is in flight. */
  get isIdle(): boolean {
    return this.underWay.size === 0;
  }

  /** The data that would survive a power loss. */
  get files(): ReadonlyMap<string, Buffer> {
    const files = this.platter.keptFiles(VERSION_FOLDER);
    for (const [name, bytes] of this.platter.keptFiles(LOG_FOLDER)) files.set(name, bytes);
    return files;
  }

  /** The bytes of one file that survive. */
  kept(name: string): Buffer | undefined {
    return this.platter.keptFile(VERSION_FOLDER, name);
  }

  /** The file system of a process that starts now, until the next crash. */
  begin(): FileSystem {
    this.life++;
    this.hasFailed = false;
    return new PlatterFiles(this.platter, this.runner());
  }

  private runner(): CallRunner {
    const { life } = this;
    return {
      submit: (call) => {
        if (this.life === life) this.submit(call);
      },
      nextTurn: () =>
        new Promise((resolve) => {
          this.scheduler.later(0, () => {
            if (this.life === life) resolve();
          });
        }),
    };
  }

  private submit(call: Call): void {
    if (call.isRead && !this.random.oneIn(8)) {
      call.run();
      return;
    }
    const stalledMs = Math.max(0, this.stalledUntilMs - this.nowMs);
    if (call.isInPlace) {
      if (stalledMs > 0) this.onBlocked(stalledMs);
      this.finish(call);
      return;
    }
    const { life } = this;
    this.underWay.add(call);
    this.scheduler.later(stalledMs + 1 + this.random.below(this.maxDelayMs), () => {
      if (this.life !== life) return;
      this.underWay.delete(call);
      this.finish(call);
    });
  }

  private finish(call: Call): void {
    if (this.error !== null && !call.isRead) {
      this.hasFailed = true;
      const { error } = this;
      call.fail(Object.assign(new Error(`${error}: ${call.path}`), { code: error }));
    } else if (this.manners.handle?.(call, this) !== true) {
      call.run();
    }
  }

  /**
   * The process is killed, or the power fails: calls in flight are done in part, or not at all.
   */
  crash(): void {
    this.life++;
    this.stalledUntilMs = 0;
    const { random, underWay } = this;
    this.underWay = new Set();
    for (const call of underWay) call.tear(random);
    if (random.oneIn(2)) this.platter.losePower(random);
    this.manners.crashed?.(this);
  }

  /** Writes hang for a while, as on a disk that resets itself. */
  stall(ms: number): void {
    this.stalledUntilMs = Math.max(this.stalledUntilMs, this.nowMs + ms);
  }

  /** All data is gone. */
  wipe(): void {
    for (const name of this.files.keys()) this.remove(name);
  }

  remove(name: string): void {
    this.platter.remove(`${VERSION_FOLDER}/${name}`);
  }

  /** The membership is that of the first start. */
  forgetConfig(): void {
    this.platter.put(CONFIG_FILE, Buffer.from(EMPTY_CONFIG));
  }
}
