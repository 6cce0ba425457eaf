import { assert } from '../../base/assert.js';
import type { ChangeRecord } from './change-record.js';

const FIRST_CAPACITY = 256;

/**
 * The newest pending record of each path, by the hash of the path table.
 *
 * A Map would do, but each of its tables links to the next one, and records that are done link to
 * later ones. Once the garbage collector has moved one of them to the old generation, it would keep
 * and move all later ones, too, which took some 5 % of the main thread's time under creates. So a
 * record that leaves links to nothing.
 */
export class PendingRecords {
  /** Its length is a power of two. A record is in the bucket of its hash, and in no other. */
  private buckets: (ChangeRecord | null)[] = new Array(FIRST_CAPACITY).fill(null);
  /** The records in all buckets: one for each path with a pending change. */
  private count = 0;

  get size(): number {
    return this.count;
  }

  get(path: string, hash: number): ChangeRecord | undefined {
    let record = this.buckets[hash & (this.buckets.length - 1)] as ChangeRecord | null;
    while (record !== null && (record.hash !== hash || record.path !== path)) record = record.next;
    return record ?? undefined;
  }

  *values(): Generator<ChangeRecord, void, undefined> {
    for (const bucket of this.buckets) {
      for (let record = bucket; record !== null; record = record.next) yield record;
    }
  }

  /** @param replaced the newest record of the path so far, if any */
  set(record: ChangeRecord, replaced: ChangeRecord | undefined): void {
    if (record.next !== null) assert(false, 'pending changes: a record is already in a bucket');
    if (replaced !== undefined && replaced.hash !== record.hash)
      assert(false, 'pending changes: a record replaces one of another path');
    if (replaced !== undefined) this.delete(replaced);
    else if (this.count === this.buckets.length) this.grow();
    this.link(record);
    this.count++;
  }

  /** Deletes a record that is the newest one of its path. */
  delete(record: ChangeRecord): void {
    const at = record.hash & (this.buckets.length - 1);
    const first = this.buckets[at] as ChangeRecord | null;
    assert(first !== null, 'pending changes: a record is not the newest of its path');
    if (first === record) {
      this.buckets[at] = record.next;
    } else {
      let before: ChangeRecord = first;
      while (before.next !== record) {
        assert(before.next !== null, 'pending changes: a record is not the newest of its path');
        before = before.next;
      }
      before.next = record.next;
    }
    record.next = null;
    this.count--;
    if (this.count < 0) assert(false, 'pending changes: more paths left than came');
  }

  private link(record: ChangeRecord): void {
    const at = record.hash & (this.buckets.length - 1);
    record.next = this.buckets[at] as ChangeRecord | null;
    this.buckets[at] = record;
  }

  private grow(): void {
    const { buckets } = this;
    this.buckets = new Array(buckets.length * 2).fill(null);
    let moved = 0;
    for (let record of buckets) {
      while (record !== null) {
        const { next }: ChangeRecord = record;
        this.link(record);
        record = next;
        moved++;
      }
    }
    if (moved !== this.count)
      assert(false, 'pending changes: paths lost in a larger table', moved, this.count);
  }
}
