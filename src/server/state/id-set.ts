import { assert } from '../../base/assert.js';

/** Sets above this size become bits where those take less memory. */
const MIN_BITS_SIZE = 16;
/** A larger array would take too long to insert into. */
const MAX_SORTED_SIZE = 256;
/** A number of an array takes this many bits. */
const NUMBER_BITS = 64;

/**
 * A set of small whole numbers that takes little memory: one number in place, then a sorted array,
 * then one bit for each number up to the largest. Many numbers far apart are in a Set, which takes
 * some 30 bytes for each.
 */
export class IdSet {
  /** The number of members. */
  size = 0;
  /** The only member, if the size is 1 and all of the following are null. */
  private only = -1;
  /** All members in ascending order; null in another form. */
  private sorted: number[] | null = null;
  /** One bit for each member; null in another form. */
  private bits: Uint32Array | null = null;
  /** All members; null in another form. At most one of these three is set. */
  private many: Set<number> | null = null;

  has(id: number): boolean {
    const { sorted, bits, many } = this;
    if (many !== null) return many.has(id);
    if (bits !== null) return (((bits[id >>> 5] ?? 0) >>> (id & 31)) & 1) === 1;
    if (sorted !== null) return sorted[placeOf(sorted, id)] === id;
    return this.size === 1 && this.only === id;
  }

  /** Returns whether it is new. */
  add(id: number): boolean {
    if (this.has(id)) return false;
    assert(id >= 0, 'watch counts: a negative number', id);
    this.size++;
    if (this.many !== null) this.addToMany(this.many, id);
    else if (this.bits !== null) this.addToBits(this.bits, id);
    else if (this.sorted !== null) this.addSorted(this.sorted, id);
    else if (this.size === 1) this.only = id;
    else this.sorted = this.only < id ? [this.only, id] : [id, this.only];
    this.check();
    return true;
  }

  /** The members are in one form, and as many as counted. */
  private check(): void {
    const { size, sorted, bits, many } = this;
    const forms = Number(sorted !== null) + Number(bits !== null) + Number(many !== null);
    assert(forms <= 1, 'watch counts: a set in two forms', forms);
    if (sorted !== null)
      assert(sorted.length === size, 'watch counts: sorted', sorted.length, size);
    if (many !== null) assert(many.size === size, 'watch counts: many', many.size, size);
    assert(forms === 1 || size <= 1, 'watch counts: members without a form', size);
  }

  private addSorted(sorted: number[], id: number): void {
    sorted.splice(placeOf(sorted, id), 0, id);
    const most = sorted[sorted.length - 1] ?? 0;
    if (this.size > MIN_BITS_SIZE && most < this.size * NUMBER_BITS) {
      this.becomeBits(sorted, most);
    } else if (this.size > MAX_SORTED_SIZE) {
      this.many = new Set(sorted);
      this.sorted = null;
    }
  }

  private addToMany(many: Set<number>, id: number): void {
    many.add(id);
    // The largest is not known, so it is searched for at each doubling.
    if ((this.size & (this.size - 1)) !== 0) return;
    let most = 0;
    for (const member of many) most = Math.max(most, member);
    if (most < this.size * NUMBER_BITS) this.becomeBits(many, most);
  }

  /** One number far above the others would need bits for all numbers below it. */
  private addToBits(bits: Uint32Array, id: number): void {
    if (id >>> 5 < bits.length || id < this.size * NUMBER_BITS) {
      this.addBit(id);
      return;
    }
    const members = [...this, id];
    this.bits = null;
    if (this.size > MAX_SORTED_SIZE) this.many = new Set(members);
    else this.sorted = members;
  }

  private becomeBits(members: Iterable<number>, most: number): void {
    this.bits = new Uint32Array((most >>> 5) + 1);
    this.sorted = null;
    this.many = null;
    for (const member of members) this.addBit(member);
  }

  private addBit(id: number): void {
    const word = id >>> 5;
    let bits = this.bits as Uint32Array;
    if (word >= bits.length) {
      const grown = new Uint32Array(word + 1 + (word >>> 2));
      grown.set(bits);
      bits = grown;
      this.bits = bits;
    }
    bits[word] = (bits[word] as number) | (1 << (id & 31));
  }

  /** Returns whether it was a member. */
  delete(id: number): boolean {
    if (!this.has(id)) return false;
    this.size--;
    const { sorted, bits, many } = this;
    if (this.size === 0) {
      this.sorted = null;
      this.bits = null;
      this.many = null;
    } else if (many !== null) {
      many.delete(id);
    } else if (bits !== null) {
      bits[id >>> 5] = (bits[id >>> 5] as number) & ~(1 << (id & 31));
    } else if (sorted !== null) {
      sorted.splice(placeOf(sorted, id), 1);
      if (sorted.length === 1) {
        this.only = sorted[0] as number;
        this.sorted = null;
      }
    }
    this.check();
    return true;
  }

  /** In ascending order. A change during the walk may hide a member, or show it twice. */
  *[Symbol.iterator](): Generator<number, void, undefined> {
    const { size, only, sorted, bits, many } = this;
    if (many !== null) {
      yield* [...many].sort((a, b) => a - b);
    } else if (bits !== null) {
      for (let word = 0; word < bits.length; word++) {
        for (let rest = bits[word] as number; rest !== 0; rest &= rest - 1) {
          yield (word << 5) + 31 - Math.clz32(rest & -rest);
        }
      }
    } else if (sorted !== null) {
      yield* sorted;
    } else if (size === 1) {
      yield only;
    }
  }
}

/** The index of the first member that is not less. */
function placeOf(sorted: readonly number[], id: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}
