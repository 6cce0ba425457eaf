import { createHash } from 'node:crypto';
import { type FSWatcher, readFileSync, readlinkSync, watch } from 'node:fs';
import { join, resolve } from 'node:path';

/** Related files change one after the other: wait for the last. */
const SETTLE_MS = 200;
/** As the kernel's limit. */
const MAX_LINKS = 40;

/**
 * Reports changed content. Watches each folder on the way to a file or through a link, because
 * files change by renames and links, and a folder that is replaced takes its watch with it.
 */
export class FileWatcher {
  private readonly files: readonly string[];
  private readonly onChange: () => void;
  private readonly onWarning: (message: string) => void;
  private watchers: FSWatcher[] = [];
  private readonly unwatchable = new Set<string>();
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
    for (const watcher of this.watchers) watcher.close();
    this.watchers = [];
  }

  /** Anew after each change: a link may lead elsewhere, and a path may be another folder. */
  private watchFolders(): void {
    this.close();
    const folders = new Map<string, Set<string>>();
    for (const file of this.files) addFolders(folders, resolve(file));
    for (const [folder, names] of folders) this.watch(folder, names);
  }

  /** Ignores the other files of a folder, which may change all the time. */
  private watch(folder: string, names: ReadonlySet<string>): void {
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        if (name === null || names.has(name)) this.look();
      });
      this.watchers.push(watcher.on('error', (error) => this.warn(folder, error)));
    } catch (error) {
      // The folder above tells when it exists again.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.warn(folder, error as Error);
    }
  }

  private warn(folder: string, error: Error): void {
    if (this.unwatchable.has(folder)) return;
    this.unwatchable.add(folder);
    this.onWarning(
      `${folder}: cannot watch: ${error.message}. Changed files below may count after a restart only`,
    );
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

/** Adds each folder on the way to a file, also through links, with the names that matter in it. */
function addFolders(folders: Map<string, Set<string>>, file: string): void {
  const partsOf = (path: string) => path.split('/').filter((part) => part !== '');
  const parts = partsOf(file);
  let at = '/';
  for (let links = 0; parts.length > 0; ) {
    const name = parts.shift() ?? '';
    folders.set(at, (folders.get(at) ?? new Set()).add(name));
    const target = linkAt(join(at, name));
    if (target !== undefined && links++ < MAX_LINKS) {
      parts.unshift(...partsOf(resolve(at, target)));
      at = '/';
    } else at = join(at, name);
  }
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
