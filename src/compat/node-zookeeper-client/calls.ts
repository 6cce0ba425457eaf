/** The arguments of a call, and its callback. */
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

/** The last argument. @throws TypeError */
export function callbackOf(given: readonly unknown[]): AnyCallback {
  const last = given.at(-1);
  if (typeof last !== 'function') throw new TypeError('callback must be a function.');
  return (error, ...results) => last(error, ...results);
}

export function versionOf(given: readonly unknown[]): number {
  const [version] = given;
  return typeof version === 'number' ? version : -1;
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
