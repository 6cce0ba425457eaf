import { ttlOfOwner } from '../../../protocol/create-mode.js';
import { compareNames } from '../../../protocol/path.js';
import type { Database } from '../../../server/persistence/replay.js';
import type { ZnodeRecord } from '../../trees/znode-record.js';

export type PastTree = Database['tree'];
export type PastNode = PastTree['root'];

const SYSTEM = '/zookeeper';

/**
 * A subtree of a past moment in walk order, without ephemerals: their sessions have ended. The
 * server's own znodes are not in it.
 */
export async function* pastRecords(
  tree: PastTree,
  root: string,
  hasAcls: boolean,
): AsyncGenerator<ZnodeRecord> {
  const top = tree.get(root);
  // A stack: the next znode is the last entry.
  const pending: PastNode[] = top === undefined ? [] : [top];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const path = tree.pathOf(node);
    if (node !== top && path === SYSTEM) continue;
    const mode = modeOf(tree, node);
    if (mode.mode === 'ephemeral') continue;
    yield {
      path: node === top ? '' : root === '/' ? path : path.slice(root.length),
      data: copyOf(tree.viewOf(node)),
      acl: hasAcls ? tree.aclOf(node) : undefined,
      ...mode,
      version: 0,
      mtime: 0,
    };
    const children = [...tree.childrenOf(node)].map((child) => ({
      child,
      path: tree.pathOf(child),
    }));
    children.sort((a, b) => compareNames(b.path, a.path));
    for (const { child } of children) pending.push(child);
  }
}

export function isPastEphemeral(tree: PastTree, node: PastNode): boolean {
  return modeOf(tree, node).mode === 'ephemeral';
}

function modeOf(tree: PastTree, node: PastNode): Pick<ZnodeRecord, 'mode' | 'ttl'> {
  const owner = tree.statOf(node).ephemeralOwner;
  const path = tree.pathOf(node);
  if (owner === 0n) return { mode: 'persistent' };
  if (tree.containers.has(path)) return { mode: 'container' };
  if (tree.ttls.has(path)) return { mode: 'ttl', ttl: Number(ttlOfOwner(owner)) };
  return { mode: 'ephemeral' };
}

function copyOf(data: Buffer | null): Buffer | null {
  return data === null ? null : Buffer.from(data);
}
