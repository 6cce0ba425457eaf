import type { ZooKeeperClient } from '../../../../client/base/client.js';
import { isCode, ZooKeeperError } from '../../../../client/base/errors.js';
import { walkTree } from '../../../../client/znodes/walk.js';
import type { ACL, Stat } from '../../../../protocol/data.js';
import { formatAcl } from '../../../../protocol/perms.js';
import { CommandError } from '../../../program/command-error.js';
import { counted } from '../../../program/counted.js';
import type { Result } from '../../../results/result.js';
import { partialError } from '../../../znodes/partial-error.js';
import { refuseLockout } from '../../../znodes/self-lockout.js';
import type { CommandContext } from '../../engine/command.js';

export interface AclChange {
  /** The new ACL does not depend on the old one, which is then not read. */
  readonly isBlind: boolean;
  apply(present: readonly ACL[]): readonly ACL[];
}

export interface ChangeFlags {
  /** The expected aversion. */
  readonly version?: number | undefined;
  readonly recursive: boolean;
  readonly force: boolean;
  readonly 'dry-run': boolean;
  readonly isStatShown: boolean;
}

/** Tries after concurrent changes of the ACL. */
const MAX_TRIES = 10;

export function replaceAcl(acl: readonly ACL[]): AclChange {
  return { isBlind: true, apply: () => acl };
}

/** Replaces entries with the same id. */
export function addEntries(entries: readonly ACL[]): AclChange {
  const isNamed = ({ id }: ACL) => entries.some((entry) => isSameId(entry.id, id));
  return {
    isBlind: false,
    apply: (present) => [...present.filter((entry) => !isNamed(entry)), ...entries],
  };
}

export function removeEntries(ids: readonly ACL['id'][]): AclChange {
  const isNamed = ({ id }: ACL) => ids.some((other) => matchesId(other, id));
  return { isBlind: false, apply: (present) => present.filter((entry) => !isNamed(entry)) };
}

/** True for an equal id, and for a user without a hash if `id` is that user's digest. */
export function matchesId(given: ACL['id'], id: ACL['id']): boolean {
  const isUser = given.scheme === 'digest' && !given.id.includes(':');
  return isSameId(given, isUser ? { ...id, id: id.id.split(':')[0] ?? '' } : id);
}

function isSameId(a: ACL['id'], b: ACL['id']): boolean {
  return a.scheme === b.scheme && a.id === b.id;
}

/** Tries again after a concurrent change. @throws CommandError LOCKOUT, INVALIDACL, PARTIAL */
export async function changeAcl(
  context: CommandContext,
  path: string,
  change: AclChange,
  flags: ChangeFlags,
): Promise<Result> {
  const { client } = context;
  // Reject an invalid ACL before any descendant is changed.
  const present = change.isBlind ? [] : (await client.getACL(path)).acl;
  await checkAcl(client, path, change.apply(present), flags.force);
  if (flags['dry-run']) return dryRun(context, path, flags.recursive, change);
  const below = flags.recursive ? await setBelow(context, path, change, flags) : NOTHING_BELOW;
  const stat = await setOne(client, path, change, flags);
  const { failures, count } = below;
  if (failures.length > 0) {
    const done = count + 1 - failures.length;
    throw partialError(`set the ACL of only ${done} of ${count + 1} znodes`, failures);
  }
  return { kind: 'changed', path, stat, isAcl: true, isStatShown: flags.isStatShown };
}

async function checkAcl(
  client: ZooKeeperClient,
  path: string,
  acl: readonly ACL[],
  isForced: boolean,
): Promise<void> {
  if (acl.length === 0) throw emptyAcl(path);
  if (!isForced) await refuseLockout(client, path, acl);
}

function emptyAcl(path: string): CommandError {
  return new CommandError(`${path}: ACL would be empty`, {
    code: 'INVALIDACL',
    path,
    hint: 'an ACL must have at least one entry',
  });
}

async function setOne(
  client: ZooKeeperClient,
  path: string,
  change: AclChange,
  { version, force }: Pick<ChangeFlags, 'version' | 'force'>,
): Promise<Stat> {
  if (change.isBlind) return client.setACL(path, change.apply([]), version ?? -1);
  for (let tries = 1; ; tries++) {
    const { acl, stat } = await client.getACL(path);
    const wanted = change.apply(acl);
    await checkAcl(client, path, wanted, force);
    try {
      return await client.setACL(path, wanted, version ?? stat.aversion);
    } catch (error) {
      const isLast = version !== undefined || tries === MAX_TRIES;
      if (isLast || !isCode(error, 'BADVERSION')) throw error;
    }
  }
}

async function dryRun(
  context: CommandContext,
  root: string,
  isRecursive: boolean,
  change: AclChange,
): Promise<Result> {
  let count = 0;
  for await (const { path } of walkTree(context.client, root, { signal: context.signal })) {
    const { acl } = await context.client.getACL(path);
    const [from, to] = [formatAcl(acl), formatAcl(change.apply(acl))];
    count++;
    await context.emit({
      kind: 'message',
      text: `${path}  ${from} -> ${to}`,
      fields: { path, from, to },
    });
    if (!isRecursive) break;
  }
  return {
    kind: 'message',
    text: `${counted(count, 'ACL')} would be set`,
    fields: { path: root, count, isDryRun: true },
  };
}

interface Below {
  readonly count: number;
  readonly failures: readonly { readonly path: string; readonly error: unknown }[];
}

const NOTHING_BELOW: Below = { count: 0, failures: [] };

/** The caller sets the root last, because the new ACL may lock out this session. */
async function setBelow(
  context: CommandContext,
  root: string,
  change: AclChange,
  { force }: ChangeFlags,
): Promise<Below> {
  const { client } = context;
  const paths: string[] = [];
  for await (const { path } of walkTree(client, root, { signal: context.signal })) paths.push(path);
  paths.shift();
  const failures: { path: string; error: unknown }[] = [];
  for (const path of paths.reverse()) {
    if (context.signal.aborted) break;
    try {
      await setOne(client, path, change, { version: undefined, force });
    } catch (error) {
      if (!isAboutZnode(error)) throw error;
      if (!isCode(error, 'NONODE')) failures.push({ path, error });
    }
  }
  return { count: paths.length, failures };
}

function isAboutZnode(error: unknown): boolean {
  if (error instanceof ZooKeeperError) return error.code !== 'CONNECTIONLOSS';
  return error instanceof CommandError;
}
