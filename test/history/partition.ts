/**
 * Finds operations that may depend on each other. A history is linearizable if its parts on
 * different znodes are, so each part is searched separately. A multi joins the znodes of its parts,
 * and a parent that may have been deleted joins its children. The end of a session is an item in
 * each part that has its ephemerals.
 */
import type { InitialNode } from './format.js';
import { type Item, makeItems, type World } from './items.js';
import { isUnnamed, type Scope } from './model.js';
import { type Operation, partsOf } from './operations.js';
import { makeZnode, State } from './state.js';

export interface Partition {
  readonly items: readonly Item[];
  readonly scope: Scope;
  readonly initial: State;
  /** By slot. */
  readonly paths: readonly string[];
}

export function parentPath(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash <= 0 ? '/' : path.slice(0, slash);
}

/** As the server formats them: ten digits, or a minus sign and nine or ten digits. */
const NUMBERS = [/\d{10}$/, /-\d{9}$/, /-\d{10}$/];

export class Partitions {
  readonly all: readonly Partition[];
  private readonly byPath = new Map<string, Partition>();
  private readonly roots = new Map<string, string>();
  private readonly deleted = new Set<string>();
  private readonly prefixes = new Set<string>();
  private readonly named = new Set<string>();

  constructor(world: World) {
    for (const operation of world.operations) this.note(operation);
    for (const { path } of world.initial) this.find(path);
    for (const operation of world.operations) this.join(operation);
    const items = makeItems(world);
    this.all = this.build(items, world.initial);
  }

  of(path: string): Partition | undefined {
    return this.byPath.get(this.find(path));
  }

  /** A path that a create without an answer may have used is not followed: its state is unknown. */
  isFollowed(path: string): boolean {
    if (this.named.has(path)) return true;
    return !NUMBERS.some((number) => this.prefixes.has(path.replace(number, '')));
  }

  private note(operation: Operation): void {
    for (const part of partsOf(operation)) {
      const { op, path = '/' } = part;
      if (op === 'delete') this.deleted.add(path);
      if (op === 'create' && part.ephemeral !== true && operation.error === 'NONODE') {
        this.deleted.add(parentPath(path));
      }
      if (op !== 'create') continue;
      if (isUnnamed(part)) {
        if (operation.outcome === 'unknown') this.prefixes.add(path);
      } else if (operation.outcome === 'ok' && part.sequential === true) {
        this.named.add(path);
      }
    }
  }

  private join(operation: Operation): void {
    const parts = partsOf(operation);
    let first: string | undefined;
    for (const { path = '/' } of parts) {
      if (first === undefined) first = path;
      this.union(first, path);
      if (this.deleted.has(parentPath(path))) this.union(path, parentPath(path));
    }
  }

  private find(path: string): string {
    let root = path;
    for (let next = this.roots.get(root); next !== undefined; next = this.roots.get(root)) {
      root = next;
    }
    if (root !== path) this.roots.set(path, root);
    return root;
  }

  private union(a: string, b: string): void {
    const [first, second] = [this.find(a), this.find(b)];
    if (first !== second) this.roots.set(second, first);
  }

  private build(items: readonly Item[], initial: readonly InitialNode[]): Partition[] {
    const groups = new Map<string, { items: Item[]; slots: Map<string, number> }>();
    const groupOf = (path: string) => {
      const root = this.find(path);
      const known = groups.get(root) ?? { items: [], slots: new Map<string, number>() };
      groups.set(root, known);
      if (this.isFollowed(path) && !known.slots.has(path)) known.slots.set(path, known.slots.size);
      return known;
    };
    for (const { path } of initial) groupOf(path);
    const owned = new Map<string, Map<string, Set<number>>>();
    for (const item of items) {
      if (item.kind === 'end') {
        for (const [root, slots] of owned.get(item.operation.session) ?? []) {
          groups.get(root)?.items.push({ ...item, slots: [...slots] });
        }
        continue;
      }
      for (const { path = '/' } of item.parts) groupOf(path);
      const first = item.parts[0]?.path ?? '/';
      const group = groupOf(first);
      group.items.push(item);
      for (const { path = '/', ephemeral } of item.parts) {
        const slot = group.slots.get(path);
        if (ephemeral === true && slot !== undefined) {
          noteOwner(owned, item.operation.session, this.find(first), slot);
        }
      }
    }
    return [...groups].map(([root, group]) => {
      const scope = this.scopeOf(group.slots);
      const partition: Partition = {
        items: group.items,
        scope,
        initial: initialState(scope, group.slots, initial),
        paths: [...group.slots.keys()],
      };
      this.byPath.set(root, partition);
      return partition;
    });
  }

  private scopeOf(slots: ReadonlyMap<string, number>): Scope {
    const { deleted } = this;
    return {
      slotOf: (path) => slots.get(path),
      parentOf: (path) => {
        const parent = parentPath(path);
        return deleted.has(parent) ? slots.get(parent) : undefined;
      },
    };
  }
}

function noteOwner(
  owned: Map<string, Map<string, Set<number>>>,
  session: string,
  root: string,
  slot: number,
): void {
  const roots = owned.get(session) ?? new Map<string, Set<number>>();
  owned.set(session, roots);
  roots.set(root, (roots.get(root) ?? new Set()).add(slot));
}

function initialState(
  scope: Scope,
  slots: ReadonlyMap<string, number>,
  initial: readonly InitialNode[],
): State {
  let state = new State();
  for (const { path, data, stat } of initial) {
    const slot = slots.get(path);
    if (slot === undefined) continue;
    const children = initial.filter((other) => {
      return scope.parentOf(other.path) === slot && other.path !== path;
    }).length;
    const fields = { data, version: stat?.version, owner: undefined, children };
    state = state.with(slot, makeZnode(fields));
  }
  return state;
}
