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
  private buckets: (ChangeRecord | null)[] = new Array(FIRST_CAPACITY).fill(null);
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
    if (replaced !== undefined) this.delete(replaced);
    else if (this.count === this.buckets.length) this.grow();
    this.link(record);
    this.count++;
  }

  /** Deletes a record that is the newest one of its path. */
  delete(record: ChangeRecord): void {
    const at = record.hash & (this.buckets.length - 1);
    const first = this.buckets[at] as ChangeRecord;
    if (first === record) {
      this.buckets[at] = record.next;
    } else {
      let before = first;
      while (before.next !== record) before = before.next as ChangeRecord;
      before.next = record.next;
    }
    record.next = null;
    this.count--;
  }

  private link(record: ChangeRecord): void {
    const at = record.hash & (this.buckets.length - 1);
    record.next = this.buckets[at] as ChangeRecord | null;
    this.buckets[at] = record;
  }

  private grow(): void {
    const { buckets } = this;
    this.buckets = new Array(buckets.length * 2).fill(null);
    for (let record of buckets) {
      while (record !== null) {
        const { next }: ChangeRecord = record;
        this.link(record);
        record = next;
      }
    }
  }
}
