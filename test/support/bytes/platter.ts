import type { Random } from '../random.js';

const SECTOR = 512;

/** A file: the view of processes, and the part that survives a power loss. */
export class Inode {
  size = 0;
  keptSize = 0;
  /** Grows with each change, as a time does; not with decay. */
  mtimeMs = 0;
  private seen: Buffer = Buffer.alloc(0);
  private stored: Buffer = Buffer.alloc(0);
  /** Sectors written since the last sync. */
  private readonly dirty = new Set<number>();

  get bytes(): Buffer {
    return this.seen.subarray(0, this.size);
  }

  /** The part that survives a power loss. */
  get kept(): Buffer {
    return this.stored.subarray(0, Math.min(this.size, this.keptSize));
  }

  write(bytes: Buffer, at: number, isDurable: boolean): void {
    const end = at + bytes.length;
    this.mtimeMs++;
    this.seen = grown(this.seen, end);
    bytes.copy(this.seen, at);
    this.size = Math.max(this.size, end);
    for (let sector = Math.floor(at / SECTOR); sector * SECTOR < end; sector++) {
      if (isDurable) this.keep(sector);
      else this.dirty.add(sector);
    }
    if (isDurable) this.keptSize = Math.max(this.keptSize, end);
  }

  private keep(sector: number): void {
    const from = sector * SECTOR;
    const to = from + SECTOR;
    this.stored = grown(this.stored, to);
    this.stored.fill(0, from, to);
    this.seen.copy(this.stored, from, from, Math.min(to, this.seen.length));
    this.dirty.delete(sector);
  }

  truncate(size: number): void {
    this.mtimeMs++;
    if (size < this.size) this.seen.fill(0, size);
    else this.seen = grown(this.seen, size);
    // The rest of the last sector is zeros now, and nothing follows it.
    if (size < this.size && size % SECTOR !== 0) this.dirty.add(Math.floor(size / SECTOR));
    for (const sector of this.dirty) if (sector * SECTOR >= size) this.dirty.delete(sector);
    this.size = size;
  }

  sync(): void {
    for (const sector of this.dirty) this.keep(sector);
    if (this.keptSize > this.size) this.stored.fill(0, this.size);
    this.stored = grown(this.stored, this.size);
    this.keptSize = this.size;
  }

  /** Each unsynced sector was written or not, and so was the size. */
  losePower(random: Random): void {
    if (this.dirty.size > 0 || this.size !== this.keptSize) {
      const size = random.oneIn(2) ? this.size : this.keptSize;
      const left = Buffer.alloc(size);
      this.stored.copy(left, 0, 0, Math.min(size, this.keptSize));
      for (const sector of [...this.dirty].sort((a, b) => a - b)) {
        const from = sector * SECTOR;
        const to = Math.min(from + SECTOR, size, this.seen.length);
        if (from < size && random.oneIn(2)) this.seen.copy(left, from, from, to);
      }
      this.size = size;
      this.keptSize = size;
      this.dirty.clear();
      this.seen = left;
      this.stored = Buffer.from(left);
    }
  }

  /** Decay: flips a bit, on the disk too. */
  flip(at: number, bit: number): void {
    for (const bytes of [this.seen, this.stored]) {
      if (at < bytes.length) bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
    }
  }

  clone(): Inode {
    const copy = new Inode();
    copy.size = this.size;
    copy.keptSize = this.keptSize;
    copy.mtimeMs = this.mtimeMs;
    copy.seen = Buffer.from(this.seen);
    copy.stored = Buffer.from(this.stored);
    for (const sector of this.dirty) copy.dirty.add(sector);
    return copy;
  }
}

function grown(bytes: Buffer, size: number): Buffer {
  if (size <= bytes.length) return bytes;
  const larger = Buffer.alloc(Math.max(size, bytes.length * 2, SECTOR));
  bytes.copy(larger);
  return larger;
}

type Entries = Map<string, Inode | Folder>;
/** A change of names, atomic. */
type Change = readonly (readonly [name: string, node: Inode | Folder | null])[];

export class Folder {
  /** The view of processes. */
  entries: Entries = new Map();
  /** The state on the disk. */
  kept: Entries = new Map();
  private changes: Change[] = [];

  change(...change: Change): void {
    apply(this.entries, change);
    this.changes.push(change);
  }

  sync(): void {
    for (const change of this.changes) apply(this.kept, change);
    this.changes = [];
  }

  /** Loses the changes since the last sync, from one on or some of them anywhere. */
  losePower(random: Random): void {
    const { changes, kept } = this;
    const isInOrder = random.oneIn(2);
    const count = random.below(changes.length + 1);
    for (const [at, change] of changes.entries()) {
      if (isInOrder ? at < count : random.oneIn(2)) apply(kept, change);
    }
    this.changes = [];
    this.entries = new Map(kept);
    for (const node of kept.values()) node.losePower(random);
  }

  clone(seen = new Map<Inode | Folder, Inode | Folder>()): Folder {
    const copy = new Folder();
    const of = (node: Inode | Folder): Inode | Folder => {
      const known = seen.get(node) ?? (node instanceof Inode ? node.clone() : node.clone(seen));
      seen.set(node, known);
      return known;
    };
    copy.entries = new Map([...this.entries].map(([name, node]) => [name, of(node)]));
    copy.kept = new Map([...this.kept].map(([name, node]) => [name, of(node)]));
    copy.changes = this.changes.map((change) =>
      change.map(([name, node]) => [name, node === null ? null : of(node)] as const),
    );
    return copy;
  }
}

function apply(entries: Entries, change: Change): void {
  for (const [name, node] of change) {
    if (node === null) entries.delete(name);
    else entries.set(name, node);
  }
}

/**
 * The files and folders of a disk: the view of processes, and the part that survives a power loss.
 */
export class Platter {
  readonly root: Folder;

  constructor(root = new Folder()) {
    this.root = root;
  }

  clone(): Platter {
    return new Platter(this.root.clone());
  }

  losePower(random: Random): void {
    this.root.losePower(random);
  }

  find(path: string): Inode | Folder | undefined {
    let node: Inode | Folder | undefined = this.root;
    for (const name of path.split('/')) {
      if (name === '') continue;
      if (!(node instanceof Folder)) return undefined;
      node = node.entries.get(name);
    }
    return node;
  }

  /**
   * The folder of a path and the name in it.
   * @throws Error ENOENT
   */
  place(path: string): { folder: Folder; name: string } {
    const at = path.lastIndexOf('/');
    const folder = this.find(path.slice(0, at));
    if (!(folder instanceof Folder)) throw fileError('ENOENT', path);
    return { folder, name: path.slice(at + 1) };
  }

  /** Files of a folder that survive a power loss, with the bytes that survive. */
  keptFiles(path: string): Map<string, Buffer> {
    const files = new Map<string, Buffer>();
    const folder = this.find(path);
    if (!(folder instanceof Folder)) return files;
    for (const [name, node] of folder.kept) {
      if (node instanceof Inode && folder.entries.get(name) === node) files.set(name, node.kept);
    }
    return files;
  }

  /** The bytes of one of them that survive, or undefined. */
  keptFile(path: string, name: string): Buffer | undefined {
    const folder = this.find(path);
    if (!(folder instanceof Folder)) return undefined;
    const node = folder.kept.get(name);
    return node instanceof Inode && folder.entries.get(name) === node ? node.kept : undefined;
  }

  /** Writes a whole file, durably. */
  put(path: string, bytes: Buffer): void {
    const { folder, name } = this.place(path);
    const inode = new Inode();
    inode.write(bytes, 0, true);
    folder.change([name, inode]);
    folder.sync();
  }

  /** Makes a folder, durably. */
  makeFolder(path: string): void {
    const { folder, name } = this.place(path);
    folder.change([name, new Folder()]);
    folder.sync();
  }

  /** Removes a file, durably. */
  remove(path: string): void {
    const { folder, name } = this.place(path);
    folder.change([name, null]);
    folder.sync();
  }
}

export function fileError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}
