import type { ZnodeValue } from '../results/change.js';

export interface MemoryLimits {
  readonly znodes: number;
  readonly bytes: number;
}

/** Enough for usual watches; a watch of millions of znodes must not keep them all in memory. */
const LIMITS: MemoryLimits = { znodes: 10_000, bytes: 16 * 1024 * 1024 };

/** The latest values, which are the old values of later changes. Evicts the oldest values. */
export class ZnodeMemory {
  private readonly limits: MemoryLimits;
  private readonly values = new Map<string, ZnodeValue>();
  /** The paths whose value was reported as a change. */
  private readonly reported = new Set<string>();
  private bytes = 0;
  private hasEvicted = false;

  constructor(limits: MemoryLimits = LIMITS) {
    this.limits = limits;
  }

  /** False after an eviction: other znodes may exist. */
  get isComplete(): boolean {
    return !this.hasEvicted;
  }

  get isFull(): boolean {
    return this.values.size >= this.limits.znodes || this.bytes >= this.limits.bytes;
  }

  get(path: string): ZnodeValue | undefined {
    return this.values.get(path);
  }

  /** False for initial values. */
  wasReported(path: string, value: ZnodeValue): boolean {
    return this.reported.has(path) && this.get(path)?.stat.mzxid === value.stat.mzxid;
  }

  paths(): readonly string[] {
    return [...this.values.keys()];
  }

  /** Stores a value, unless a later one is known. */
  put(path: string, value: ZnodeValue, isReported: boolean): void {
    const known = this.values.get(path);
    if (known !== undefined && known.stat.mzxid > value.stat.mzxid) return;
    this.forget(path);
    this.values.set(path, value);
    if (isReported) this.reported.add(path);
    this.bytes += sizeOf(value);
    while (this.values.size > this.limits.znodes || this.bytes > this.limits.bytes) {
      const [oldest] = this.values.keys();
      if (oldest === undefined) return;
      this.forget(oldest);
      this.hasEvicted = true;
    }
  }

  forget(path: string): void {
    const known = this.values.get(path);
    if (known === undefined) return;
    this.values.delete(path);
    this.reported.delete(path);
    this.bytes -= sizeOf(known);
  }

  markIncomplete(): void {
    this.hasEvicted = true;
  }
}

function sizeOf({ data }: ZnodeValue): number {
  return data?.length ?? 0;
}
