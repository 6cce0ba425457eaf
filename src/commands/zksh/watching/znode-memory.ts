import type { ZnodeValue } from '../results/change.js';

export interface MemoryLimits {
  readonly znodes: number;
  readonly bytes: number;
}

/** Enough for what people watch; a watch of millions of znodes must not hold them all. */
const LIMITS: MemoryLimits = { znodes: 10_000, bytes: 16 * 1024 * 1024 };

/** The values seen last, so that a change can be shown from old to new. The oldest give way. */
export class ZnodeMemory {
  readonly #limits: MemoryLimits;
  readonly #values = new Map<string, ZnodeValue>();
  /** Of those, the ones that were told as changes. */
  readonly #told = new Set<string>();
  #bytes = 0;
  #hasForgotten = false;

  constructor(limits: MemoryLimits = LIMITS) {
    this.#limits = limits;
  }

  /** False once a value had to give way: what is not here may be there all the same. */
  get isComplete(): boolean {
    return !this.#hasForgotten;
  }

  get isFull(): boolean {
    return this.#values.size >= this.#limits.znodes || this.#bytes >= this.#limits.bytes;
  }

  get(path: string): ZnodeValue | undefined {
    return this.#values.get(path);
  }

  /** Was this very value told before? False for one that was only read at the beginning. */
  wasTold(path: string, value: ZnodeValue): boolean {
    return this.#told.has(path) && this.get(path)?.stat.mzxid === value.stat.mzxid;
  }

  paths(): readonly string[] {
    return [...this.#values.keys()];
  }

  /**
   * Takes a value, unless a later one of the same znode is known.
   * @param isTold is it told as a change now?
   */
  put(path: string, value: ZnodeValue, isTold: boolean): void {
    const known = this.#values.get(path);
    if (known !== undefined && known.stat.mzxid > value.stat.mzxid) return;
    this.forget(path);
    this.#values.set(path, value);
    if (isTold) this.#told.add(path);
    this.#bytes += sizeOf(value);
    while (this.#values.size > this.#limits.znodes || this.#bytes > this.#limits.bytes) {
      const [oldest] = this.#values.keys();
      if (oldest === undefined) return;
      this.forget(oldest);
      this.#hasForgotten = true;
    }
  }

  forget(path: string): void {
    const known = this.#values.get(path);
    if (known === undefined) return;
    this.#values.delete(path);
    this.#told.delete(path);
    this.#bytes -= sizeOf(known);
  }

  /** Not everything was read: what is not here may be there all the same. */
  markIncomplete(): void {
    this.#hasForgotten = true;
  }
}

function sizeOf({ data }: ZnodeValue): number {
  return data?.length ?? 0;
}
