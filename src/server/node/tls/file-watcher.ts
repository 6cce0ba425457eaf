import { createHash } from 'node:crypto';
import { type FSWatcher, readFileSync, readlinkSync, watch } from 'node:fs';
import { join, resolve } from 'node:path';

/** Related files change one after the other: wait for the last. */
const SETTLE_MS = 200;
/** As the kernel's limit. */
const MAX_LINKS = 40;

/**
 * Reports changed content. Watches folders, because files change by renames and links: those of the
 * files, and of each link that leads to one.
 */
export class FileWatcher {
  private readonly files: readonly string[];
  private readonly onChange: () => void;
  private readonly onWarning: (message: string) => void;
  private watchers = new Map<string, FSWatcher | null>();
  private fingerprint: string;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    files: readonly string[],
    onChange: () => void,
    onWarning: (message: string) => void,
  ) {
    this.files = files;
    this.onChange = onChange;
    this.onWarning = onWarning;
    this.fingerprint = fingerprintOf(files);
    this.watchFolders();
  }

  close(): void {
    clearTimeout(this.timer);
    for (const watcher of this.watchers.values()) watcher?.close();
    this.watchers.clear();
  }

  /** A link that changed may lead through other folders. */
  private watchFolders(): void {
    const wanted = new Set(this.files.flatMap((file) => foldersTo(resolve(file))));
    for (const [folder, watcher] of this.watchers) {
      if (wanted.has(folder)) continue;
      watcher?.close();
      this.watchers.delete(folder);
    }
    for (const folder of wanted) {
      if (!this.watchers.has(folder)) this.watchers.set(folder, this.watch(folder));
    }
  }

  /** Null if it cannot be watched, which is said once. */
  private watch(folder: string): FSWatcher | null {
    const fail = (error: Error): void =>
      this.onWarning(
        `${folder}: cannot watch: ${error.message}. Changed files count after a restart`,
      );
    try {
      const watcher = watch(folder, { persistent: false }, () => this.look());
      return watcher.on('error', fail);
    } catch (error) {
      fail(error as Error);
      return null;
    }
  }

  private look(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.watchFolders();
      const now = fingerprintOf(this.files);
      if (now === this.fingerprint) return;
      this.fingerprint = now;
      this.onChange();
    }, SETTLE_MS);
  }
}

/** The real folder of a file, and those of all links on the way to it. */
function foldersTo(file: string): string[] {
  const folders = new Set<string>();
  const parts = file.split('/').filter((part) => part !== '');
  let at = '/';
  for (let links = 0; parts.length > 0; ) {
    const path = join(at, parts.shift() ?? '');
    const target = linkAt(path);
    if (target !== undefined && links++ < MAX_LINKS) {
      folders.add(at);
      parts.unshift(
        ...resolve(at, target)
          .split('/')
          .filter((part) => part !== ''),
      );
      at = '/';
      continue;
    }
    if (parts.length === 0) folders.add(at);
    at = path;
  }
  return [...folders];
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
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
