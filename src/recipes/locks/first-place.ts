import { childPath } from '../../protocol/path.js';
import { parseMembers } from '../base/members.js';
import type { Line } from '../base/sequence-node.js';
import type { Wait } from '../base/session.js';
import {
  childrenOf,
  readIfThere,
  type WaitWatches,
  watchChildren,
  watched,
  type Znode,
} from '../base/znodes.js';

type WatchedLine = Pick<Line, 'client' | 'parent' | 'kinds'>;

/**
 * The znode of the first place of a line. Watches that znode, or the children of a line without
 * places, so that a change wakes a listener once.
 */
export async function firstPlace(
  { parent, kinds = [] }: WatchedLine,
  wait: Wait,
  watches?: WaitWatches,
): Promise<Znode | undefined> {
  for (;;) {
    const [first] = parseMembers(await childrenOf(wait, parent), kinds);
    if (first !== undefined) {
      const place = await readIfThere(wait, childPath(parent, first.name), watches);
      if (place !== undefined) return place;
      continue;
    }
    if (watches === undefined) return undefined;
    const children = await watchChildren(wait, parent, watches);
    if (parseMembers(children ?? [], kinds).length === 0) return undefined;
  }
}

/** The result of `convert` for the first place, now and after each change; never the same twice. */
export async function* firstPlaces<T>(
  line: WatchedLine,
  signal: AbortSignal | undefined,
  convert: (place: Znode) => T,
  isSame: (a: T, b: T) => boolean,
): AsyncGenerator<T | undefined, never> {
  const wait = { client: line.client, path: line.parent, signal };
  let isFirst = true;
  let last: T | undefined;
  for await (const place of watched(wait, (watches) => firstPlace(line, wait, watches))) {
    const next = place && convert(place);
    const hasChanged =
      last === undefined || next === undefined ? last !== next : !isSame(last, next);
    if (isFirst || hasChanged) yield next;
    isFirst = false;
    last = next;
  }
  throw new Error('watched() never ends');
}
