import { createHash } from 'node:crypto';
import { type FSWatcher, readFileSync, watch } from 'node:fs';
import { dirname } from 'node:path';

/** Related files change one after the other: wait for the last. */
const SETTLE_MS = 200;

/** Reports changed content. Watches the folders, because files change by renames and links. */
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
        onWarning(`${folder}: cannot watch: ${error.message}. Changed files count after a restart`);
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

/** A file that is being replaced may be missing for a moment. */
function readOrNothing(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    return Buffer.alloc(0);
  }
}
