import type { ACL, Stat } from '../../../src/protocol/data.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { childPath } from '../../../src/protocol/path.js';
import type { RawClient } from './raw-client.js';

export interface WalkedNode {
  readonly data: string | null;
  readonly acl: readonly ACL[];
  readonly stat: Stat;
}

/**
 * The whole tree as clients see it, by path. The client must have permission to read all of it.
 */
export async function walkTree(client: RawClient, top = '/'): Promise<Map<string, WalkedNode>> {
  const tree = new Map<string, WalkedNode>();
  let level = [top];
  while (level.length > 0) {
    const found = await Promise.all(level.map((path) => readNode(client, path)));
    const below: string[] = [];
    for (const [i, { node, children }] of found.entries()) {
      const path = level[i] as string;
      tree.set(path, node);
      below.push(...[...children].sort().map((name) => childPath(path, name)));
    }
    level = below;
  }
  return tree;
}

async function readNode(
  client: RawClient,
  path: string,
): Promise<{ node: WalkedNode; children: readonly string[] }> {
  const watch = false;
  const [data, acl, children] = await Promise.all([
    client.call(OpCode.getData, { path, watch }),
    client.call(OpCode.getACL, { path }),
    client.call(OpCode.getChildren, { path, watch }),
  ]);
  for (const { err } of [data, acl, children]) {
    if (err !== 0) throw new Error(`reading ${path} failed with ${err}`);
  }
  const read = data.value as { data: Buffer | null; stat: Stat };
  return {
    node: {
      data: read.data === null ? null : read.data.toString('latin1'),
      acl: (acl.value as { acl: readonly ACL[] }).acl,
      stat: read.stat,
    },
    children: (children.value as { children: readonly string[] }).children,
  };
}
