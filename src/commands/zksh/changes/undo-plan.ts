import type { Op, ZooKeeperClient } from '../../../client/base/client.js';
import { mapBounded } from '../../../client/znodes/pace.js';
import { CreateModes } from '../../../protocol/create-mode.js';
import type { ACL, Stat } from '../../../protocol/data.js';
import { compareWalk, parentPath } from '../../../protocol/path.js';
import { formatAcl } from '../../../protocol/perms.js';
import { formatSessionId } from '../../../protocol/session-id.js';
import { counted } from '../../program/counted.js';
import { isMasked } from '../../znodes/parse-acl.js';
import { isEphemeral } from '../../znodes/stat-lines.js';
import type { ChangedZnode, CommandChanges, ZnodeBefore } from '../session/change-journal.js';

export interface UndoPlan {
  /** Parents first, then by name. */
  readonly steps: readonly UndoStep[];
  /** Znodes that changed since the command. */
  readonly conflicts: readonly PathReason[];
  readonly lost: readonly PathReason[];
}

export interface PathReason {
  readonly path: string;
  readonly why: string;
}

export interface UndoStep {
  readonly path: string;
  /** "create", "delete", "set", "setAcl". */
  readonly what: string;
  readonly detail: string;
  /** Undefined for an ACL, which a transaction cannot set. */
  readonly op?: Op;
  readonly acl?: { readonly entries: readonly ACL[]; readonly aversion: number };
}

const IN_FLIGHT = 64;

export async function makeUndoPlan(
  client: ZooKeeperClient,
  changes: CommandChanges,
): Promise<UndoPlan> {
  const steps: UndoStep[] = [];
  const conflicts: PathReason[] = [];
  const lost: PathReason[] = [...changes.faults].map(([path, why]) => ({ path, why }));
  const made = changes.znodes.filter(({ before, after }) => before === undefined && after);
  const madeBelow = countByParent(made.map(({ path }) => path));
  const znodes = changes.znodes.filter(({ path }) => !changes.faults.has(path));
  const looked = mapBounded(znodes, IN_FLIGHT, ({ path }) => client.exists(path));
  for await (const { item, value: present } of looked) {
    const { path, before, after } = item;
    const conflict = conflictOf(item, present, madeBelow.get(path) ?? 0);
    if (conflict !== undefined) conflicts.push({ path, why: conflict });
    else if (after === undefined && before !== undefined) {
      const step = createAgain(path, before, client.sessionId);
      if ('why' in step) lost.push(step);
      else steps.push(step);
    } else if (before === undefined && after !== undefined) {
      steps.push({
        path,
        what: 'delete',
        detail: '',
        op: { op: 'delete', path, version: after.version },
      });
    } else if (before !== undefined && after !== undefined) {
      steps.push(...setBack(path, before, after));
    }
  }
  steps.sort((a, b) => compareWalk(a.path, b.path));
  return { steps, conflicts, lost };
}

function countByParent(paths: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const parent = parentPath(path);
    counts.set(parent, (counts.get(parent) ?? 0) + 1);
  }
  return counts;
}

function conflictOf(
  { before, after }: ChangedZnode,
  present: Stat | null,
  madeBelow: number,
): string | undefined {
  if (after === undefined) return present === null ? undefined : 'created again';
  if (present === null) return 'deleted';
  if (present.czxid !== after.czxid) return 'deleted and created again';
  if (present.mzxid !== after.mzxid || present.version !== after.version) {
    return `data changed, now version ${present.version}`;
  }
  if (present.aversion !== after.aversion) return 'ACL changed';
  if (before === undefined && present.numChildren > madeBelow) return 'new children';
  return undefined;
}

function createAgain(path: string, before: ZnodeBefore, sessionId: bigint): UndoStep | PathReason {
  const { stat, data, acl = [] } = before;
  const owner = formatSessionId(stat.ephemeralOwner);
  const isOwn = stat.ephemeralOwner === sessionId;
  if (isEphemeral(stat) && !isOwn) return { path, why: `an ephemeral of session ${owner}` };
  if (acl.some(isMasked)) return { path, why: 'ACL has hidden passwords' };
  const bytes = data?.bytes ?? null;
  const mode = isEphemeral(stat) ? CreateModes.EPHEMERAL : CreateModes.PERSISTENT;
  const kind = isEphemeral(stat) ? 'ephemeral, ' : '';
  const op: Op = { op: 'create', path, data: bytes, options: { mode, acl } };
  return { path, what: 'create', detail: `${kind}${sizeOf(bytes)}`, op };
}

function setBack(path: string, before: ZnodeBefore, after: Stat): readonly UndoStep[] {
  const { data, acl } = before;
  const steps: UndoStep[] = [];
  if (data !== undefined && after.mzxid !== before.stat.mzxid) {
    const op: Op = { op: 'set', path, data: data.bytes, version: after.version };
    steps.push({ path, what: 'set', detail: sizeOf(data.bytes), op });
  }
  const isNew = after.czxid !== before.stat.czxid;
  if (acl !== undefined && (isNew || after.aversion !== before.stat.aversion)) {
    const undone = { entries: acl, aversion: after.aversion };
    steps.push({ path, what: 'setAcl', detail: formatAcl(acl), acl: undone });
  }
  return steps;
}

function sizeOf(bytes: Buffer | null): string {
  if (bytes === null) return 'null';
  return counted(bytes.length, 'byte');
}

/** Well below the limits of servers for one transaction. */
const MAX_OPS = 500;
const MAX_BYTES = 400_000;

/** Creates parents before children, and deletes children before parents. */
function batchesOf(steps: readonly UndoStep[]): readonly (readonly Op[])[] {
  const ops = steps.map(({ op }) => op).filter((op) => op !== undefined);
  const ordered = [
    ...ops.filter(({ op }) => op !== 'delete'),
    ...ops.filter(({ op }) => op === 'delete').reverse(),
  ];
  const batches: Op[][] = [];
  let bytes = 0;
  for (const op of ordered) {
    const size = 'data' in op ? (op.data?.length ?? 0) : 0;
    const batch = batches.at(-1);
    if (batch === undefined || batch.length === MAX_OPS || bytes + size > MAX_BYTES) {
      batches.push([op]);
      bytes = size;
    } else {
      batch.push(op);
      bytes += size;
    }
  }
  return batches;
}

/** @throws ZooKeeperError if a znode changed since the plan */
export async function takeBack(client: ZooKeeperClient, { steps }: UndoPlan): Promise<void> {
  for (const batch of batchesOf(steps)) await client.multi(batch);
  for (const { path, acl } of steps) {
    if (acl !== undefined) await client.setACL(path, acl.entries, acl.aversion);
  }
}
