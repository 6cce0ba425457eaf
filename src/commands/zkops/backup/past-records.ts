import { ttlOfOwner } from '../../../protocol/create-mode.js';
import { compareNames } from '../../../protocol/path.js';
import type { Database } from '../../../server/persistence/replay.js';
import type { ZnodeRecord } from '../../trees/znode-record.js';

export type PastTree = Database['tree'];
type PastNode = PastTree['root'];

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
    if (node !== top && node.path === SYSTEM) continue;
    const mode = modeOf(tree, node);
    if (mode.mode === 'ephemeral') continue;
    yield {
      path: node === top ? '' : root === '/' ? node.path : node.path.slice(root.length),
      data: copyOf(tree.content.dataOf(node.slot)),
      acl: hasAcls ? tree.aclOf(node.slot) : undefined,
      ...mode,
      version: 0,
      mtime: 0,
    };
    const children = [...tree.childrenOf(node)];
    children.sort((a, b) => compareNames(b.path, a.path));
    for (const child of children) pending.push(child);
  }
}

export function isPastEphemeral(tree: PastTree, node: PastNode): boolean {
  return modeOf(tree, node).mode === 'ephemeral';
}

function modeOf(tree: PastTree, { path, slot }: PastNode): Pick<ZnodeRecord, 'mode' | 'ttl'> {
  const owner = tree.stats.ephemeralOwner(slot);
  if (owner === 0n) return { mode: 'persistent' };
  if (tree.containers.has(path)) return { mode: 'container' };
  if (tree.ttls.has(path)) return { mode: 'ttl', ttl: Number(ttlOfOwner(owner)) };
  return { mode: 'ephemeral' };
}

function copyOf(data: Buffer | null): Buffer | null {
  return data === null ? null : Buffer.from(data);
}
