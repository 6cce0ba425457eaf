/**
 * Changes that must happen exactly once, even if the reply is lost. The same txn creates a receipt:
 * an ephemeral znode without data, `<parent>/_c_<guid>-receipt`. If it exists, the change happened.
 * It is deleted before the caller continues.
 */
import { randomUUID } from 'node:crypto';
import type { Op, OpResult, ZooKeeperClient } from '../../client/base/client.js';
import { isCode, MultiError } from '../../client/base/errors.js';
import { CreateModes } from '../../protocol/create-mode.js';
import type { ACL } from '../../protocol/data.js';
import { childPath } from '../../protocol/path.js';
import { cleanedUp } from './limit.js';
import { Losses, once, retried, untilConnected, type Wait } from './session.js';
import { createOptions, deleteIfThere, NO_DATA } from './znodes.js';

export interface Change {
  readonly ops: readonly Op[];
  /** An existing znode, or one that the change creates. */
  readonly parent: string;
  readonly acl?: readonly ACL[] | undefined;
}

/**
 * @returns the results, or undefined if the change happened and its reply was lost
 * @throws MultiError of a failed change; UnsupportedError over the native client. After the end of
 * the session or of the wait, the outcome is unknown.
 */
export async function changeOnce(
  wait: Wait,
  { ops, parent, acl }: Change,
): Promise<readonly OpResult[] | undefined> {
  const { client } = wait;
  const path = childPath(parent, `_c_${randomUUID()}-receipt`);
  const options = createOptions(CreateModes.EPHEMERAL, acl);
  const withReceipt: readonly Op[] = [...ops, { op: 'create', path, data: NO_DATA, options }];
  const losses = new Losses();
  let isPending = true;
  try {
    for (let wasLost = false; ; wasLost = true) {
      try {
        const results = await once(wait, () => client.multi(withReceipt));
        return results.slice(0, -1);
      } catch (error) {
        if (!losses.mayRepeat(error)) {
          if (wasLost && (await isThere(wait, path))) return undefined;
          isPending = !(error instanceof MultiError);
          throw error;
        }
      }
      await untilConnected(wait);
      await retried(wait, () => client.sync(parent));
      if (await isThere(wait, path)) return undefined;
    }
  } finally {
    if (isPending) await cleanedUp(discard(client, path), wait.signal);
  }
}

async function isThere(wait: Wait, path: string): Promise<boolean> {
  return (await retried(wait, () => wait.client.exists(path))) !== null;
}

/** If the delete fails, the end of the session deletes it. */
async function discard(client: ZooKeeperClient, path: string): Promise<void> {
  await deleteIfThere({ client, path }, path).catch(() => undefined);
}

/** Whether this operation of the change failed with this code. */
export function failedAt(
  error: unknown,
  index: number,
  code: 'NODEEXISTS' | 'BADVERSION' | 'NONODE',
): boolean {
  return error instanceof MultiError && error.index === index && isCode(error, code);
}
