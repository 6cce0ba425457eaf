import type { ChildTable } from './children.js';

/** The children of a slot that a walk has not visited yet. */
interface Below {
  readonly parent: number;
  /** The generation of the parent: another znode may get its slot during the walk. */
  readonly generation: number;
  readonly places: readonly number[];
  at: number;
}

/**
 * Slots, parents before children. Tolerates changes: a deleted znode leaves its parent, parents are
 * deleted last, and new ones may be missed. One generator, because a snapshot visits all znodes.
 */
export function* walk(children: ChildTable, from: number): Generator<number, void, undefined> {
  const { table } = children;
  const above: Below[] = [];
  let generation = table.generation(from);
  yield from;
  let here: Below = { parent: from, generation, places: children.placesOf(from), at: 0 };
  for (;;) {
    const { parent, places } = here;
    if (here.at === places.length || table.generation(parent) !== here.generation) {
      const up = above.pop();
      if (up === undefined) return;
      here = up;
      continue;
    }
    const slot = places[here.at++] as number;
    if (!children.isChild(slot, parent)) continue;
    generation = table.generation(slot);
    yield slot;
    const below = children.placesOf(slot);
    if (below.length === 0) continue;
    above.push(here);
    here = { parent: slot, generation, places: below, at: 0 };
  }
}
