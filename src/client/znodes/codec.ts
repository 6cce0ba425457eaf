import { brand } from '../../base/brand.js';
import {
  checkFields,
  checkFunction,
  checkSignal,
  checkWhole,
} from '../../protocol/check-argument.js';
import type { Stat } from '../../protocol/data.js';
import type { CallOptions, ZooKeeperClient } from '../base/client.js';
import { isCode } from '../base/errors.js';
import { checkClient } from '../check-client.js';
import { backOff } from '../retry/back-off.js';

/** Converts values of a program to data of znodes and back. */
export interface Codec<T> {
  /** @throws any error for a value that it cannot convert */
  encode(value: T): string | Uint8Array;
  /** @throws any error for data that it cannot convert */
  decode(data: Buffer | null): T;
}

/** The value of a znode, and the Stat of the same read. */
export interface ValueAndStat<T> {
  readonly value: T;
  readonly stat: Stat;
}

/** Data of a znode that its codec cannot read; `cause` is the codec's error. */
export class ValueError extends Error {
  override readonly name = 'ValueError';
  readonly code = 'EBADDATA';
  readonly path: string;

  constructor(path: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`${path}: invalid data: ${why}`, { cause });
    this.path = path;
  }
}

brand(ValueError, 'ValueError');

/**
 * JSON as the data of a znode.
 * @param check returns the value as its type, or throws; without it any JSON is accepted
 * @example
 * const texts = jsonCodec((value) => String(value));
 */
export function jsonCodec<T = unknown>(
  check: (value: unknown) => T = (value) => value as T,
): Codec<T> {
  checkFunction('check', check);
  return {
    encode: (value) => {
      const text: string | undefined = JSON.stringify(value);
      if (text === undefined)
        throw new TypeError('value: not representable as JSON (expected plain values)');
      return text;
    },
    decode: (data) => check(JSON.parse(data?.toString() ?? '')),
  };
}

/**
 * Reads a value.
 * @example
 * const limits = jsonCodec<{ max: number }>();
 * const { value, stat } = await getValue(client, '/app/limits', limits);
 * await setValue(client, '/app/limits', limits, { max: value.max + 1 }, stat.version);
 * @throws ValueError; ZooKeeperError, for example NONODE
 */
export async function getValue<T>(
  client: ZooKeeperClient,
  path: string,
  codec: Codec<T>,
  call: CallOptions = {},
): Promise<ValueAndStat<T>> {
  checkClient(client);
  checkCodec(codec);
  const { data, stat } = await client.getData(path, call);
  return { value: decoded(codec, path, data), stat };
}

/**
 * Writes a value.
 * @example
 * await setValue(client, '/app/limits', jsonCodec<{ max: number }>(), { max: 10 });
 * @param version the expected version, -1 for any
 * @throws ZooKeeperError, for example BADVERSION or NONODE; the errors of `codec.encode`
 */
export async function setValue<T>(
  client: ZooKeeperClient,
  path: string,
  codec: Codec<T>,
  value: T,
  version = -1,
  call: CallOptions = {},
): Promise<Stat> {
  checkClient(client);
  checkCodec(codec);
  return client.setData(path, codec.encode(value), version, call);
}

export interface UpdateOptions {
  /** Limit of attempts against other writers, from 1. Default 100. */
  readonly attempts?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Changes a value by compare-and-set: reads it, calls `change`, and writes the result. If another
 * client has written meanwhile, it begins again after a pause, so `change` may be called several
 * times.
 * @example await updateValue(client, '/count', jsonCodec<number>(), (count) => count + 1);
 * @throws ZooKeeperError: BADVERSION after all attempts, CONNECTIONLOSS with hasUnknownOutcome if
 * the reply to the write is lost; ValueError; the errors of `change`
 */
export async function updateValue<T>(
  client: ZooKeeperClient,
  path: string,
  codec: Codec<T>,
  change: (value: T, stat: Stat) => T | Promise<T>,
  options: UpdateOptions = {},
): Promise<ValueAndStat<T>> {
  checkFunction('change', change);
  const { attempts = 100, signal } = checkFields('options', options, {
    attempts: (name, value) => checkWhole(name, value, 1),
    signal: checkSignal,
  });
  const call = { signal };
  for (let attempt = 1; ; attempt++) {
    const before = await getValue(client, path, codec, call);
    const value = await change(before.value, before.stat);
    try {
      const stat = await setValue(client, path, codec, value, before.stat.version, call);
      return { value, stat };
    } catch (error) {
      if (!isCode(error, 'BADVERSION') || attempt === attempts) throw error;
    }
    await backOff(attempt, signal);
  }
}

function decoded<T>(codec: Codec<T>, path: string, data: Buffer | null): T {
  try {
    return codec.decode(data);
  } catch (error) {
    throw new ValueError(path, error);
  }
}

function checkCodec<T>(codec: Codec<T>): void {
  checkFields('codec', codec, { encode: checkFunction, decode: checkFunction }, 'any');
  checkFunction('codec.encode', codec.encode);
  checkFunction('codec.decode', codec.decode);
}
