/**
 * Changes that must be made exactly once, though the reply that says whether they were may be
 * lost. A receipt, an ephemeral znode named by a GUID, is made in the same txn: who finds it knows
 * that the change was made. It is deleted before the caller goes on.
 *
 * ```
 *   <parent>/_c_<guid>-receipt     ephemeral, without data
 * ```
 */
import { randomUUID } from 'node:crypto';
import type { Op, OpResult, ZooKeeperClient } from '../client/client.js';
import { MultiError } from '../client/errors.js';
import { CreateModes } from '../protocol/create-mode.js';
import type { ACL } from '../protocol/data.js';
import { childPath } from '../protocol/path.js';
import { hasCode, isLoss, once, retried, untilConnected, type Wait } from './session.js';
import { createOptions, deleteIfThere, NO_DATA } from './znodes.js';

export interface Change {
  readonly ops: readonly Op[];
  /** Where the receipt is put: a znode that is there, or that the change makes. */
  readonly parent: string;
  /** Of the receipt. */
  readonly acl?: readonly ACL[] | undefined;
}

/**
 * @returns the results, or undefined when the change was made and they were lost
 * @throws MultiError of a change that was not made; UnsupportedError over the native client. After
 * the end of the session or of the wait it is not known whether the change was made.
 */
export async function changeOnce(
  wait: Wait,
  { ops, parent, acl }: Change,
): Promise<readonly OpResult[] | undefined> {
  const { client } = wait;
  const path = childPath(parent, `_c_${randomUUID()}-receipt`);
  const options = createOptions(CreateModes.EPHEMERAL, acl);
  const withReceipt: readonly Op[] = [...ops, { op: 'create', path, data: NO_DATA, options }];
  let isPending = true;
  try {
    for (let wasLost = false; ; wasLost = true) {
      try {
        const results = await once(wait, () => client.multi(withReceipt));
        return results.slice(0, -1);
      } catch (error) {
        if (!isLoss(error)) {
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
    if (isPending) await discard(client, path);
  }
}

async function isThere(wait: Wait, path: string): Promise<boolean> {
  return (await retried(wait, () => wait.client.exists(path))) !== null;
}

/** What cannot be deleted now goes with the session. */
async function discard(client: ZooKeeperClient, path: string): Promise<void> {
  await deleteIfThere({ client, path }, path).catch(() => undefined);
}

/** Did the change fail with this code, in this operation? */
export function failedAt(
  error: unknown,
  index: number,
  code: 'NODEEXISTS' | 'BADVERSION' | 'NONODE',
): boolean {
  return error instanceof MultiError && error.index === index && hasCode(error, code);
}
