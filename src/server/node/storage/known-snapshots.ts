import type { ListedFile } from './folders.js';

/** What this process knows about a snapshot. */
export interface Knowledge {
  /** The last txn that it may contain; null if nothing tells it. */
  readonly reach: bigint | null;
  /** Whether it can be read to its end; undefined for one that was only written. */
  readonly isWhole: boolean | undefined;
}

/**
 * Remembers each snapshot that was read or written, as long as its file stays as it is: so that no
 * purge reads gigabytes twice, and a truncation knows which snapshots are too new.
 */
export class KnownSnapshots {
  private readonly known = new Map<string, Knowledge & ListedFile>();

  /** Undefined for a file that this process has neither read nor written in its present form. */
  of({ name, size, mtimeMs }: ListedFile): Knowledge | undefined {
    const found = this.known.get(name);
    return found?.size === size && found.mtimeMs === mtimeMs ? found : undefined;
  }

  note({ name, size, mtimeMs }: ListedFile, knowledge: Knowledge): void {
    this.known.set(name, { name, size, mtimeMs, ...knowledge });
  }
}
