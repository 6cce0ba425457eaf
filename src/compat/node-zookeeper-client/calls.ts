/** The arguments of a call, and its callback. */
import assert from 'node:assert';
import type { Watcher } from '../../client/base/client.js';
import { errorOf, type Stat } from './convert.js';
import { type ACL, Event } from './values.js';

/**
 * A method, because TypeScript then accepts a function that is typed as of the old package, whose
 * types say that there always are data and an error.
 */
export type Callback<A extends unknown[] = []> = {
  call(error: Error | null, ...results: A): void;
}['call'];
/** The listener of a watch; called once. */
export type EventListener = (event: Event) => void;
/** A part of a new znode: data, ACL, and mode, any of them, in this order. */
export type Part = Buffer | readonly ACL[] | number | null | undefined;
export type PathCallback = Callback<[path: string]>;
export type StatCallback = Callback<[stat: Stat]>;
export type ChildrenCallback = Callback<[children: readonly string[], stat: Stat]>;
export type DataCallback = Callback<[data: Buffer | null, stat: Stat]>;
export type AnyCallback = (error: Error | null, ...results: readonly unknown[]) => void;

const LARGEST_DATA = 1_048_576;

/** As the old package, which refuses a path before it asks a server. @throws AssertionError */
export function checkPath(path: unknown): void {
  assert(path && typeof path === 'string', 'Node path must be a non-empty string.');
  assert(path.startsWith('/'), 'Node path must start with / character.');
  if (path.length === 1) return;
  assert(!path.endsWith('/'), 'Node path must not end with / character.');
  assert(!path.includes('//'), 'Node path must not contain empty node name.');
  const isRelative = /\/\.\.?(\/|$)/.test(path);
  assert(!isRelative, 'Node path must not contain relative path(s).');
}

/** @throws AssertionError */
export function checkData(data: unknown): void {
  const isBuffer = Buffer.isBuffer(data);
  const problem = 'data must be a valid buffer, null or undefined.';
  assert(isBuffer || data === null || data === undefined, problem);
  const isShort = !isBuffer || data.length <= LARGEST_DATA;
  assert(isShort, `data must be equal of smaller than ${LARGEST_DATA} bytes.`);
}

/** The last function. @throws AssertionError for a bad path or no callback */
export function callbackOf(path: unknown, given: readonly unknown[]): AnyCallback {
  checkPath(path);
  const last = given.findLast((each) => typeof each === 'function');
  assert(typeof last === 'function', 'callback must be a function.');
  return (error, ...results) => last(error, ...results);
}

/**
 * The number before the callback; without one, -1. Version 0.2 of the old package took null, too.
 * @throws AssertionError
 */
export function versionOf([version, callback]: readonly unknown[]): number {
  if (!callback || version === null) return -1;
  assert(typeof version === 'number', 'version must be a number.');
  return version;
}

/** The watcher is the function before the callback. */
export function watchOf(given: readonly unknown[]): { watch: Watcher | false } {
  const [watcher] = given;
  if (given.length < 2 || typeof watcher !== 'function') return { watch: false };
  const listener: EventListener = (event) => watcher(event);
  return {
    watch: ({ type, path }) => {
      const event = Event.of(type, path);
      if (event !== undefined) listener(event);
    },
  };
}

/** Calls back in a separate turn, so that an exception of the callback is uncaught. */
export function settle<T>(
  promise: Promise<T>,
  callback: AnyCallback,
  results: (value: T) => readonly unknown[],
): void {
  promise.then(
    (value) => process.nextTick(() => callback(null, ...results(value))),
    (error: unknown) => process.nextTick(() => callback(errorOf(error))),
  );
}
