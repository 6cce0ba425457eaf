/**
 * Changes that must happen exactly once, even if the reply is lost. The same txn creates a receipt:
 * an ephemeral znode without data, `<parent>/_c_<guid>-receipt`. If it exists, the change happened.
 * It is deleted before the caller continues.
 */
import { randomUUID } from 'node:crypto';
import { isLimitError } from '../../client/base/abort.js';
import type { Op, OpResult, ZooKeeperClient } from '../../client/base/client.js';
import { hasUnknownOutcome, isCode, MultiError, withOutcome } from '../../client/base/errors.js';
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
  /** Whether the caller continues while the receipt is deleted. */
  readonly isCleanedUpLater?: boolean;
}

/**
 * @returns the results, or undefined if the change happened and its reply was lost
 * @throws MultiError of a failed change; UnsupportedError over the native client. After the end of
 * the session or of the wait, the outcome may be unknown (hasUnknownOutcome).
 */
export async function changeOnce(
  wait: Wait,
  { ops, parent, acl, isCleanedUpLater = false }: Change,
): Promise<readonly OpResult[] | undefined> {
  const { client } = wait;
  const path = childPath(parent, `_c_${randomUUID()}-receipt`);
  const options = createOptions(CreateModes.EPHEMERAL, acl);
  const withReceipt: readonly Op[] = [...ops, { op: 'create', path, data: NO_DATA, options }];
  let mayExist = true;
  try {
    return await changed({ ...wait, path }, withReceipt);
  } catch (error) {
    mayExist = hasUnknownOutcome(error);
    throw error;
  } finally {
    const isDeleted = mayExist ? discard(client, path) : undefined;
    if (isDeleted !== undefined && !isCleanedUpLater) await cleanedUp(isDeleted, wait.signal);
  }
}

/** @param wait its path is that of the receipt */
async function changed(wait: Wait, ops: readonly Op[]): Promise<readonly OpResult[] | undefined> {
  const losses = new Losses(wait);
  for (let wasLost = false; ; wasLost = true) {
    try {
      const results = await once(wait, (call) => wait.client.multi(ops, call));
      return results.slice(0, -1);
    } catch (error) {
      if (!losses.mayRepeat(error)) {
        if (wasLost && !isLimitError(error) && (await isThere(wait))) return undefined;
        throw error;
      }
    }
    if (await hasHappened(wait)) return undefined;
  }
}

async function hasHappened(wait: Wait): Promise<boolean> {
  try {
    await untilConnected(wait);
    await retried(wait, (call) => wait.client.sync(wait.path, call));
    return await isThere(wait);
  } catch (error) {
    throw withOutcome(error, true);
  }
}

async function isThere(wait: Wait): Promise<boolean> {
  return (await retried(wait, (call) => wait.client.exists(wait.path, call))) !== null;
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
