/** The znodes of one partition as an immutable value; a change shares most of its structure. */

export interface Znode {
  readonly data: string | null | undefined;
  readonly version: number | undefined;
  readonly owner: string | undefined;
  readonly children: number;
  readonly hash: number;
}

const CHUNK_BITS = 5;
const CHUNK = 1 << CHUNK_BITS;

type Slot = Znode | undefined;

export function makeZnode(fields: Omit<Znode, 'hash'>): Znode {
  const { data, version, owner, children } = fields;
  const text = `${data === undefined ? '?' : JSON.stringify(data)} ${version} ${owner} ${children}`;
  return { ...fields, hash: hashText(text) };
}

function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

function mix(slot: number, hash: number): number {
  let mixed = Math.imul(hash ^ Math.imul(slot + 1, 0x9e3779b1), 0x85ebca6b);
  mixed ^= mixed >>> 15;
  return Math.imul(mixed, 0xc2b2ae35) >>> 0;
}

function isSame(a: Slot, b: Slot): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined || a.hash !== b.hash) return false;
  const isSameOwner = a.owner === b.owner && a.children === b.children;
  return isSameOwner && a.data === b.data && a.version === b.version;
}

export class State {
  readonly hash: number;
  private readonly chunks: readonly (readonly Slot[])[];

  constructor(chunks: readonly (readonly Slot[])[] = [], hash = 0) {
    this.chunks = chunks;
    this.hash = hash;
  }

  get(slot: number): Znode | undefined {
    return this.chunks[slot >>> CHUNK_BITS]?.[slot & (CHUNK - 1)];
  }

  with(slot: number, znode: Slot): State {
    const before = this.get(slot);
    const chunks = this.chunks.slice();
    const place = slot >>> CHUNK_BITS;
    while (chunks.length <= place) chunks.push([]);
    const chunk = (chunks[place] as Slot[]).slice();
    while (chunk.length <= (slot & (CHUNK - 1))) chunk.push(undefined);
    chunk[slot & (CHUNK - 1)] = znode;
    chunks[place] = chunk;
    const without = before === undefined ? this.hash : this.hash ^ mix(slot, before.hash);
    return new State(chunks, znode === undefined ? without : without ^ mix(slot, znode.hash));
  }

  equals(other: State): boolean {
    if (this === other) return true;
    if (this.hash !== other.hash) return false;
    const count = Math.max(this.chunks.length, other.chunks.length);
    for (let place = 0; place < count; place++) {
      if (this.chunks[place] === other.chunks[place]) continue;
      const first = place << CHUNK_BITS;
      for (let slot = first; slot < first + CHUNK; slot++) {
        if (!isSame(this.get(slot), other.get(slot))) return false;
      }
    }
    return true;
  }
}
