import type { ZooKeeperClient } from '../../client/base/client.js';
import { backOff } from '../../client/retry/back-off.js';
import {
  checkBytes,
  checkFunction,
  checkLong,
  checkWhole,
  outOfRange,
} from '../../protocol/check-argument.js';
import { checkPath, checkRecipe, checkWaitOptions } from '../base/arguments.js';
import { RecipeError } from '../base/errors.js';
import { cleanedUp, limited, type WaitOptions } from '../base/limit.js';
import type { ZnodeOptions } from '../base/znodes.js';
import { Lock } from '../locks/lock.js';
import { Configuration, replaceSetting } from './configuration.js';

/** Options of AtomicValue and AtomicLong. */
export interface AtomicOptions extends ZnodeOptions {
  /** The attempts of a change without the lock. Default 5. */
  readonly attempts?: number | undefined;
  /**
   * The path of a Lock that a change takes after these attempts, so that contended changes wait for
   * each other. Default: no lock, and attempts until one succeeds.
   */
  readonly lockPath?: string | undefined;
}

/** A change of an AtomicValue or an AtomicLong. */
export interface AtomicChange<T> {
  /** Undefined, or 0, if the znode did not exist. */
  readonly before: T;
  /** What the change wrote. */
  readonly after: T;
}

const ATTEMPTS = 5;
const LONG_BYTES = 8;

/**
 * A value that many processes change, first by compare-and-set, then under a lock.
 *
 * Layout: the znode `path` itself, persistent; its data are the value, as with Curator's
 * DistributedAtomicValue. A change creates a temporary receipt below it (receipt.ts).
 *
 * Guarantees: each change happens once or not at all, even if the connection is lost. Changes need
 * the built-in client.
 * @example
 * const value = new AtomicValue(client, '/version');
 * await value.update((before) => `${before ?? 'v'}+`);
 */
export class AtomicValue {
  private readonly path: string;
  private readonly setting: Configuration;
  private readonly attempts: number;
  private readonly lock: Lock | undefined;

  /** @throws RangeError for an invalid path or `attempts` (a whole number from 1) */
  constructor(client: ZooKeeperClient, path: string, options: AtomicOptions = {}) {
    const names = ['attempts', 'lockPath', 'acl'] as const;
    const { attempts = ATTEMPTS, lockPath, acl } = checkRecipe(client, path, options, names);
    if (lockPath !== undefined) checkPath(lockPath);
    this.attempts = checkWhole('options.attempts', attempts, 1);
    this.path = path;
    this.setting = new Configuration(client, path, { acl });
    this.lock = lockPath === undefined ? undefined : new Lock(client, lockPath, { acl });
  }

  /** The value; undefined if it does not exist. Like any read, it may be stale. */
  async read(options: WaitOptions = {}): Promise<Buffer | undefined> {
    return (await this.setting.read(options))?.data;
  }

  /**
   * Changes the value if it is still `expected`. One attempt, without the lock.
   * @returns whether it was changed
   * @throws TimeoutError, RequestAbortedError, ZooKeeperError: hasUnknownOutcome tells whether the
   * change may have been made
   */
  async compareAndSet(
    expected: string | Uint8Array | undefined,
    data: string | Uint8Array,
    options: WaitOptions = {},
  ): Promise<boolean> {
    const wanted = expected === undefined ? undefined : checkBytes('expected', expected);
    const bytes = checkBytes('data', data);
    return limited(options, { path: this.path }, 'no answer', async (signal) => {
      const before = await this.setting.read({ signal });
      const isExpected = wanted === undefined ? before === undefined : before?.data.equals(wanted);
      return isExpected === true && replaceSetting(this.setting, bytes, before, { signal });
    });
  }

  /**
   * Changes the value to the result of `change`, which may be called several times.
   * @throws the error of `change`; TimeoutError, RequestAbortedError, ZooKeeperError:
   * hasUnknownOutcome tells whether the change may have been made
   */
  async update(
    change: (before: Buffer | undefined) => string | Uint8Array,
    options: WaitOptions = {},
  ): Promise<AtomicChange<Buffer | undefined>> {
    checkFunction('change', change);
    const given = checkWaitOptions(options);
    return limited(given, { path: this.path }, 'not changed', async (signal) => {
      const { attempts, lock } = this;
      const most = lock ? attempts : Number.POSITIVE_INFINITY;
      const first = await this.attempt(change, { signal }, most);
      if (first !== undefined || lock === undefined) return required(first);
      const { signal: lost, release } = await lock.acquire({ signal });
      try {
        return required(await this.attempt(change, { signal, lost }, Number.POSITIVE_INFINITY));
      } finally {
        await cleanedUp(release(), signal);
      }
    });
  }

  /** @param limits `lost` ends the attempts, but not one that was sent: its outcome is known */
  private async attempt(
    change: (before: Buffer | undefined) => string | Uint8Array,
    { signal, lost }: { readonly signal: AbortSignal; readonly lost?: AbortSignal },
    attempts: number,
  ): Promise<AtomicChange<Buffer | undefined> | undefined> {
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const before = await this.setting.read({ signal });
      lost?.throwIfAborted();
      const after = checkBytes('change()', change(before?.data));
      const isDone = await replaceSetting(this.setting, after, before, { signal });
      if (isDone) return { before: before?.data, after };
      await backOff(attempt, signal);
    }
    return undefined;
  }
}

function required<T>(change: T | undefined): T {
  if (change === undefined) throw new Error('attempts without an end never fail');
  return change;
}

/**
 * A whole number of 64 bits that many processes change.
 *
 * Layout: as with AtomicValue; the data are eight bytes, the most significant first, as Curator's
 * DistributedAtomicLong writes them. A missing znode, or one without data, is 0. For decimal text,
 * as kazoo writes it, use Counter. The guarantees are those of AtomicValue.
 * @example
 * const { after } = await new AtomicLong(client, '/total').add(5n);
 */
export class AtomicLong {
  private readonly path: string;
  private readonly stored: AtomicValue;

  /** @throws the errors of the constructor of AtomicValue */
  constructor(client: ZooKeeperClient, path: string, options: AtomicOptions = {}) {
    this.stored = new AtomicValue(client, path, options);
    this.path = path;
  }

  /** Like any read, it may be stale. @throws RecipeError EBADDATA, ZooKeeperError */
  async value(options: WaitOptions = {}): Promise<bigint> {
    return this.numberOf(await this.stored.read(options));
  }

  /**
   * @returns the numbers before and after
   * @throws RangeError if the sum exceeds 64 bits; RecipeError EBADDATA; the errors of
   * AtomicValue.update
   */
  async add(delta: bigint, options: WaitOptions = {}): Promise<AtomicChange<bigint>> {
    checkLong('delta', delta);
    return this.change((before) => {
      const sum = before + delta;
      if (BigInt.asIntN(64, sum) === sum) return sum;
      throw outOfRange('delta', delta, `a sum of 64 bits with ${before}`);
    }, options);
  }

  /** Replaces the number, whatever it is. @throws the errors of AtomicValue.update */
  async set(value: bigint, options: WaitOptions = {}): Promise<AtomicChange<bigint>> {
    checkLong('value', value);
    return this.change(() => value, options);
  }

  /**
   * Changes the number if it is still `expected`. @returns whether it was changed
   * @throws RecipeError EBADDATA; the errors of AtomicValue.compareAndSet
   */
  async compareAndSet(
    expected: bigint,
    value: bigint,
    options: WaitOptions = {},
  ): Promise<boolean> {
    checkLong('expected', expected);
    const bytes = bytesOf(checkLong('value', value));
    return limited(options, { path: this.path }, 'no answer', async (signal) => {
      const before = await this.stored.read({ signal });
      if (this.numberOf(before) !== expected) return false;
      return this.stored.compareAndSet(before, bytes, { signal });
    });
  }

  private async change(
    next: (before: bigint) => bigint,
    options: WaitOptions,
  ): Promise<AtomicChange<bigint>> {
    const { before, after } = await this.stored.update(
      (data) => bytesOf(next(this.numberOf(data))),
      options,
    );
    return { before: this.numberOf(before), after: this.numberOf(after) };
  }

  private numberOf(data: Buffer | undefined): bigint {
    if (data === undefined || data.length === 0) return 0n;
    if (data.length === LONG_BYTES) return data.readBigInt64BE();
    const found = `${data.length} bytes (expected ${LONG_BYTES})`;
    throw new RecipeError('EBADDATA', this.path, `not a number of 64 bits: ${found}`);
  }
}

function bytesOf(value: bigint): Buffer {
  const bytes = Buffer.alloc(LONG_BYTES);
  bytes.writeBigInt64BE(value);
  return bytes;
}
