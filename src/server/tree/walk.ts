import type { Children } from './children.js';
import type { DataNode } from './data-node.js';

/**
 * Parents before children. Tolerates changes: a deleted znode leaves its parent, parents are
 * deleted last, and new ones may be missed. One generator, because a snapshot visits all znodes.
 */
export function* walk(from: DataNode): Generator<DataNode, void, undefined> {
  yield from;
  const above: { readonly places: Children['places']; readonly at: number }[] = [];
  let places = placesOf(from);
  let at = 0;
  for (;;) {
    if (at === places.length) {
      const up = above.pop();
      if (up === undefined) return;
      ({ places, at } = up);
      continue;
    }
    const node = places[at++];
    if (node === undefined || node.place < 0) continue;
    yield node;
    if (node.children === null) continue;
    above.push({ places, at });
    places = node.children.places;
    at = 0;
  }
}

function placesOf({ children }: DataNode): Children['places'] {
  return children === null ? [] : children.places;
}
