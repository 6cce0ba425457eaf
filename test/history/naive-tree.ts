/** The tree of a naive service: a Map of paths, copied for each txn. */
import type { Part, Result, SeenStat } from './format.js';

export interface Node {
  readonly data: string | null;
  readonly version: number;
  readonly czxid: bigint;
  readonly mzxid: bigint;
  readonly owner: string | undefined;
}

export type Tree = ReadonlyMap<string, Node>;

export interface Version {
  readonly tree: Tree;
  readonly zxid: bigint;
}

/** The author and the txn of a change, and the number of the next sequential znode. */
export interface Change {
  readonly session: string;
  readonly zxid: bigint;
  readonly number: number;
}

/** @returns the result, or the name of the error */
export function change(tree: Map<string, Node>, part: Part, by: Change): Result | string {
  const { op, path = '/', data = null, version = -1 } = part;
  const { session, zxid, number } = by;
  const node = tree.get(path);
  if (op === 'create') {
    if (part.sequential !== true && node !== undefined) return 'NODEEXISTS';
    const made = part.sequential === true ? `${path}${`${number}`.padStart(10, '0')}` : path;
    tree.set(made, newNode(data, zxid, part.ephemeral === true ? session : undefined));
    return { path: made };
  }
  if (node === undefined) return 'NONODE';
  if (version !== -1 && version !== node.version) return 'BADVERSION';
  if (op === 'delete') tree.delete(path);
  if (op !== 'setData') return {};
  const next = { ...node, data, version: node.version + 1, mzxid: zxid };
  tree.set(path, next);
  return { stat: statOf(next) };
}

/** The first event up to `zxid` of a watch set at `armed`; undefined if nothing changed. */
export function firstEvent(
  versions: readonly Version[],
  key: string,
  armed: bigint,
  zxid: bigint,
): string | undefined {
  const [kind = '', path = ''] = key.split(' ');
  const eventOf = kind === 'data' ? dataEvent : childEvent;
  let before: Tree | undefined;
  for (const { tree, zxid: at } of versions) {
    if (at > zxid) return undefined;
    if (before !== undefined && at > armed) {
      const type = eventOf(before, tree, path);
      if (type !== undefined) return type;
    }
    before = tree;
  }
  return undefined;
}

function dataEvent(before: Tree, after: Tree, path: string): string | undefined {
  const [old, now] = [before.get(path), after.get(path)];
  if (old === undefined) return now === undefined ? undefined : 'NodeCreated';
  if (now === undefined) return 'NodeDeleted';
  return old.mzxid === now.mzxid ? undefined : 'NodeDataChanged';
}

function childEvent(before: Tree, after: Tree, path: string): string | undefined {
  const names = (tree: Tree) => [...tree.keys()].filter((other) => other.startsWith(`${path}/`));
  return names(before).join() === names(after).join() ? undefined : 'NodeChildrenChanged';
}

export function newNode(data: string | null, zxid: bigint, owner: string | undefined): Node {
  return { data, version: 0, czxid: zxid, mzxid: zxid, owner };
}

export function statOf({ version, czxid, mzxid }: Node): SeenStat {
  return { version, czxid, mzxid };
}
