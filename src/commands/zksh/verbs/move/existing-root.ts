import type { ZooKeeperClient } from '../../../../client/client.js';
import { ZooKeeperError } from '../../../../client/errors.js';
import { ErrorCode } from '../../../../protocol/error-code.js';
import { parentPath } from '../../../../protocol/path.js';

/**
 * Refuses to write a tree over one that is there, or below a parent that is not, before anything of
 * it is written. The root of all is there always.
 * @throws ZooKeeperError NODEEXISTS or NONODE
 */
export async function existingRoot(client: ZooKeeperClient, root: string): Promise<void> {
  if (root === '/') return;
  if ((await client.exists(root)) !== null) {
    throw new ZooKeeperError(ErrorCode.NODEEXISTS, root);
  }
  const parent = parentPath(root);
  if ((await client.exists(parent)) === null) throw new ZooKeeperError(ErrorCode.NONODE, parent);
}
