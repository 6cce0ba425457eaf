/**
 * Carries watches over to a tree that an operator restored (Standalone), and fires those of changed
 * znodes. Apache's server drops all watches, so a client that waits for a change waits forever.
 */
import { EventType } from '../../protocol/watch-event.js';
import type { ClientConnection } from '../state/client-connection.js';
import type { ServerState } from '../state/server-state.js';
import type { DataTree } from '../tree/data-tree.js';
import type { Znode } from '../tree/znode.js';
import type { WatchNotifier } from './watch-notifier.js';

/** No txn made the change; clients get the same zxid for changes that they missed while away. */
const NO_ZXID = -1n;

/** Znodes compared in one turn, which takes about 10 ms. */
const SLICE = 5000;

/**
 * Yields after each slice. Until it is done, nothing may change either tree.
 *
 * @param after has already taken over the connections
 */
export function* carryWatches(
  before: ServerState,
  after: ServerState,
  notifier: WatchNotifier,
): Generator<void, void, undefined> {
  carryTables(before, after);
  let compared = 0;
  for (const path of pathsToCompare(before, after)) {
    if (++compared % SLICE === 0) yield;
    const old = before.tree.get(path);
    const now = after.tree.get(path);
    if (now === undefined) {
      if (old !== undefined) notifier.fireDeletion(path, before.tree.aclOf(old), NO_ZXID);
    } else if (old === undefined) {
      notifier.fireData(path, after.tree.aclOf(now), EventType.NodeCreated, NO_ZXID);
    } else {
      if (!isSameData(before.tree, old, after.tree, now)) {
        notifier.fireData(path, after.tree.aclOf(now), EventType.NodeDataChanged, NO_ZXID);
      }
      if (!hasSameChildren(before.tree, old, after.tree, now)) {
        notifier.fireChildren(after.tree, now, NO_ZXID);
      }
    }
  }
}

/** The watches of the connections that were taken over. */
export function carryTables(before: ServerState, after: ServerState): void {
  const isHere = (connection: ClientConnection): boolean =>
    connection.phase === 'open' && after.connections.get(connection.id) === connection;
  after.dataWatches.addAll(before.dataWatches, isHere);
  after.childWatches.addAll(before.childWatches, isHere);
}

/** The watched paths; all paths of both trees if a recursive watch exists. */
function* pathsToCompare(before: ServerState, { tree, ...after }: ServerState): Generator<string> {
  const { dataWatches, childWatches } = after;
  if (!dataWatches.hasRecursive) {
    // Copy first: firing removes watches from the tables.
    const watched = [...dataWatches.byPath(), ...childWatches.byPath()].map(([path]) => path);
    yield* new Set(watched);
    return;
  }
  yield* before.tree.paths();
  for (const path of tree.paths()) if (before.tree.get(path) === undefined) yield path;
}

function isSameData(oldTree: DataTree, old: Znode, tree: DataTree, now: Znode): boolean {
  const [before, after] = [oldTree.statOf(old), tree.statOf(now)];
  return (
    before.czxid === after.czxid &&
    before.mzxid === after.mzxid &&
    oldTree.dataOf(old) === tree.dataOf(now)
  );
}

function hasSameChildren(oldTree: DataTree, old: Znode, tree: DataTree, now: Znode): boolean {
  const [before, after] = [oldTree.statOf(old), tree.statOf(now)];
  if (before.pzxid !== after.pzxid || before.numChildren !== after.numChildren) return false;
  for (const child of oldTree.childrenOf(old)) {
    if (tree.get(oldTree.pathOf(child)) === undefined) return false;
  }
  return true;
}
