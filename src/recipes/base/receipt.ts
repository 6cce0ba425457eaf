/**
 * Changes that must happen exactly once, even if the reply is lost. The same txn writes a receipt:
 * an ephemeral znode `<parent>/_c_<guid>-receipt` with the number of the change. If it has that
 * number, the change happened.
 */
import { randomUUID } from 'node:crypto';
import { isLimitError } from '../../client/base/abort.js';
import type { Op, OpResult, ZooKeeperClient } from '../../client/base/client.js';
import { hasUnknownOutcome, isCode, MultiError, withOutcome } from '../../client/base/errors.js';
import { CreateModes } from '../../protocol/create-mode.js';
import type { ACL } from '../../protocol/data.js';
import { childPath } from '../../protocol/path.js';
import { RecipeError } from './errors.js';
import { cleanedUp } from './limit.js';
import { Losses, once, retried, untilConnected, type Wait } from './session.js';
import { deleteIfThere, readIfThere } from './znodes.js';

export interface Change {
  readonly ops: readonly Op[];
  /** An existing znode, or one that the change creates. */
  readonly parent: string;
  readonly acl?: readonly ACL[] | undefined;
  /**
   * Whether the receipt stays for the next change below `parent`, which then need not wait for its
   * deletion. Default: it is deleted before the caller continues.
   */
  readonly isReceiptKept?: boolean;
}

/** How long a receipt stays that no change uses. */
const KEPT_MS = 200;

/** A receipt that exists, if its session lives. */
interface Kept {
  readonly path: string;
  readonly sessionId: bigint;
  readonly timer: NodeJS.Timeout;
}

/** Those that no change uses now, at most one for each parent. */
const kept = new WeakMap<ZooKeeperClient, Map<string, Kept>>();
/** The number of the last change of this process. */
let changes = 0;

/**
 * @returns the results, or undefined if the change happened and its reply was lost
 * @throws MultiError of a failed change; RecipeError ELOST if another client deleted the receipt,
 * and the change may have happened; UnsupportedError over the native client. After the end of
 * the session or of the wait, the outcome may be unknown (hasUnknownOutcome).
 */
export async function changeOnce(
  wait: Wait,
  change: Change,
): Promise<readonly OpResult[] | undefined> {
  const { client } = wait;
  const { ops, parent, isReceiptKept = false } = change;
  const found = isReceiptKept ? takeKept(client, parent) : undefined;
  const path = found ?? childPath(parent, `_c_${randomUUID()}-receipt`);
  const number = Buffer.from(String(++changes));
  const options = { mode: CreateModes.EPHEMERAL, acl: change.acl };
  const receipt: Op =
    found === undefined
      ? { op: 'create', path, data: number, options }
      : { op: 'set', path, data: number };
  let state: 'present' | 'absent' | 'unknown' = 'unknown';
  try {
    const results = await changed({ ...wait, path }, [...ops, receipt], number);
    state = 'present';
    return results;
  } catch (error) {
    if (!hasUnknownOutcome(error)) state = found === undefined ? 'absent' : 'present';
    if (state !== 'present' || !failedAt(error, ops.length, 'NONODE')) throw error;
    // Another client deleted the receipt, and nothing has happened.
    state = 'absent';
  } finally {
    if (state === 'present' && isReceiptKept) keep(client, parent, path);
    else if (state !== 'absent') await discard(wait, path, isReceiptKept);
  }
  return changeOnce(wait, change);
}

function takeKept(client: ZooKeeperClient, parent: string): string | undefined {
  const found = kept.get(client)?.get(parent);
  if (found === undefined) return undefined;
  clearTimeout(found.timer);
  kept.get(client)?.delete(parent);
  return found.sessionId === client.sessionId ? found.path : undefined;
}

/** If the delete fails, the end of the session deletes it. */
async function discard(wait: Wait, path: string, isLater: boolean): Promise<void> {
  const { client, signal } = wait;
  const isDeleted = deleteIfThere({ client, path }, path).catch(() => undefined);
  if (!isLater) await cleanedUp(isDeleted, signal);
}

/** If a delete fails, the end of the session deletes it. */
function keep(client: ZooKeeperClient, parent: string, path: string): void {
  const all = kept.get(client) ?? new Map<string, Kept>();
  kept.set(client, all);
  const remove = (): void => {
    deleteIfThere({ client, path }, path).catch(() => undefined);
  };
  if (all.has(parent)) {
    remove();
    return;
  }
  const expire = (): void => {
    all.delete(parent);
    remove();
  };
  const timer = setTimeout(expire, KEPT_MS).unref();
  all.set(parent, { path, sessionId: client.sessionId, timer });
}

/** @param wait its path is that of the receipt, which the last operation writes */
async function changed(
  wait: Wait,
  ops: readonly Op[],
  number: Buffer,
): Promise<readonly OpResult[] | undefined> {
  const losses = new Losses(wait);
  for (let wasLost = false; ; wasLost = true) {
    try {
      const results = await once(wait, (call) => wait.client.multi(ops, call));
      return results.slice(0, -1);
    } catch (error) {
      if (!losses.mayRepeat(error)) {
        if (wasLost && !isLimitError(error) && (await hasNumber(wait, number))) return undefined;
        const isGone = ops.at(-1)?.op === 'set' && failedAt(error, ops.length - 1, 'NONODE');
        // Who deleted the receipt may have done so after the change.
        if (wasLost && isGone) {
          const problem = 'deleted during a change, which may have happened';
          throw withOutcome(new RecipeError('ELOST', wait.path, problem), true);
        }
        throw error;
      }
    }
    if (await hasHappened(wait, number)) return undefined;
  }
}

async function hasHappened(wait: Wait, number: Buffer): Promise<boolean> {
  try {
    await untilConnected(wait);
    await retried(wait, (call) => wait.client.sync(wait.path, call));
    return await hasNumber(wait, number);
  } catch (error) {
    throw withOutcome(error, true);
  }
}

async function hasNumber(wait: Wait, number: Buffer): Promise<boolean> {
  const found = await readIfThere(wait, wait.path);
  return found?.data?.equals(number) ?? false;
}

/** Whether this operation of the change failed with this code. */
export function failedAt(
  error: unknown,
  index: number,
  code: 'NODEEXISTS' | 'BADVERSION' | 'NONODE',
): boolean {
  return error instanceof MultiError && error.index === index && isCode(error, code);
}
