import { createHash } from 'node:crypto';
import { type FSWatcher, readFileSync, watch } from 'node:fs';
import { dirname } from 'node:path';

/** Files that belong together are changed one after the other: wait for the last. */
const SETTLE_MS = 200;

/**
 * Tells when what some files hold has changed. It watches their folders, since a certificate is
 * changed by a rename, or (Kubernetes) by a symbolic link beside it that leads elsewhere.
 */
export class FileWatcher {
  private readonly files: readonly string[];
  private readonly onChange: () => void;
  private readonly watchers: FSWatcher[];
  private fingerprint: string;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    files: readonly string[],
    onChange: () => void,
    onWarning: (message: string) => void,
  ) {
    this.files = files;
    this.onChange = onChange;
    this.fingerprint = fingerprintOf(files);
    const folders = [...new Set(files.map((file) => dirname(file)))];
    this.watchers = folders.flatMap((folder) => {
      const fail = (error: Error): void =>
        onWarning(`${folder} is not watched, so changed files go unseen: ${error.message}`);
      try {
        const watcher = watch(folder, { persistent: false }, () => this.look());
        return [watcher.on('error', fail)];
      } catch (error) {
        fail(error as Error);
        return [];
      }
    });
  }

  close(): void {
    clearTimeout(this.timer);
    for (const watcher of this.watchers) watcher.close();
  }

  private look(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const now = fingerprintOf(this.files);
      if (now === this.fingerprint) return;
      this.fingerprint = now;
      this.onChange();
    }, SETTLE_MS);
  }
}

function fingerprintOf(files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files) {
    const bytes = readOrNothing(file);
    hash.update(`${bytes.length}:`).update(bytes);
  }
  return hash.digest('hex');
}

/** A file in the midst of being replaced may not be there. */
function readOrNothing(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    return Buffer.alloc(0);
  }
}
