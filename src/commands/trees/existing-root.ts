import type { ZooKeeperClient } from '../../client/base/client.js';
import { ZooKeeperError } from '../../client/base/errors.js';
import { ErrorCode } from '../../protocol/error-code.js';
import { parentPath } from '../../protocol/path.js';

/** @throws ZooKeeperError NODEEXISTS, or NONODE without its parent */
export async function existingRoot(client: ZooKeeperClient, root: string): Promise<void> {
  if (root === '/') return;
  if ((await client.exists(root)) !== null) {
    throw new ZooKeeperError(ErrorCode.NODEEXISTS, root);
  }
  const parent = parentPath(root);
  if ((await client.exists(parent)) === null) throw new ZooKeeperError(ErrorCode.NONODE, parent);
}
