import type { DataDir } from './data-dir.js';
import type { LogDisk } from './log-disk.js';

export interface Storage {
  readonly log: LogDisk;
  readonly dir: DataDir;
}

export interface DiskOptions {
  readonly storage: Storage;
  /** autopurge; everyMs 0 or less disables it. */
  readonly purge: { readonly everyMs: number; readonly retain: number };
  /** The log keeps the txns after it for learners; default: null, none needs it. */
  readonly neededZxid?: () => bigint | null;
  readonly onPurged: (files: readonly string[]) => void;
  readonly onSnapshot: (path: string, ms: number) => void;
  readonly onWarning: (message: string) => void;
  /** The state of the disk is unknown: the server must stop. */
  readonly onFatal: (error: unknown) => void;
}
