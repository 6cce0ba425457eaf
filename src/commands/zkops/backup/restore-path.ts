// Makes one subtree of a running ensemble equal to a past moment. It changes only the differences,
// and only znodes that nobody changed since the comparison.

import type { ZooKeeperClient } from '../../../client/base/client.js';
import { ZooKeeperError } from '../../../client/base/errors.js';
import { isWithin, parentPath, pathFault } from '../../../protocol/path.js';
import { formatZxid } from '../../../protocol/zxid.js';
import { listFiles } from '../../data-files/find-files.js';
import { isRunFault, runFault } from '../../ensemble/run-fault.js';
import { concludeFrom } from '../../ensemble/verdict/blame.js';
import { COUNT } from '../../machine/declaration.js';
import { CommandError, usageError } from '../../program/command-error.js';
import { counted } from '../../program/counted.js';
import { ExitCode } from '../../program/exit-status.js';
import { finishedReport, namedColumns, type Report, type Row } from '../../results/result.js';
import { compareRecords, type Difference } from '../../trees/compare-records.js';
import { applyDifferences, emptyTally, type Tally, tally } from '../../trees/sync-differences.js';
import { TreeSource } from '../../trees/tree-source.js';
import { BACKUP } from '../calls/arguments.js';
import { AUTH_OPTIONS, TIMEOUT_OPTION } from '../calls/options.js';
import { type Task, type TaskCall, unlessDryRun } from '../calls/task.js';
import { MAX_ENTRY_OPTION, maxEntryOf } from '../files/max-entry.js';
import { timeoutOf } from '../probes/ask-members.js';
import {
  closeSession,
  describeError,
  type MemberSession,
  openSession,
} from '../probes/sessions.js';
import type { BackupFiles } from './backup-folder.js';
import { refuseDamage, withBackup } from './backup-source.js';
import { AT_OPTION, type At, findMoment, parseAt, type Span } from './find-moment.js';
import { KEY_FILE_OPTION } from './key-file.js';
import { isPastEphemeral, type PastTree, pastRecords } from './past-records.js';
import { firstThatLeads, type Moment, problemsOfMoment, replayTo } from './replay-to.js';

const DEFAULT_LIMIT = 20;

/** @throws CommandError without the word of the user, or for a path that no restore may change */
function checkCall(call: TaskCall, path: string): void {
  const fault = pathFault(path);
  if (fault !== undefined) throw usageError(`invalid path: ${path}: ${fault}`);
  if (isWithin(path, '/zookeeper')) {
    throw usageError(
      `${path}: contains the server's own znodes (expected another path)\nTo restore a whole ensemble, use zkops backup restore`,
    );
  }
  if (call.has('dry-run') || call.has('yes')) return;
  throw usageError(
    `backup restore-path: changes ${path} of a running ensemble: add --yes to confirm, or --dry-run\nFirst list the changes with --dry-run`,
  );
}

interface Past {
  readonly moment: Moment;
  readonly span: Span;
  readonly tree: PastTree;
}

function loadPast(call: TaskCall): Promise<Past> {
  const at = parseAt(call.text('at') ?? 'latest');
  return withBackup(call, (backup) => {
    refuseDamage(backup, at);
    return loadFrom(backup, call, at);
  });
}

async function loadFrom({ folder, open }: BackupFiles, call: TaskCall, at: At): Promise<Past> {
  const files = await listFiles(folder);
  const limits = { maxEntry: maxEntryOf(call), signal: call.signal, open };
  const span = await findMoment(at, folder, files, limits);
  const { target, lastZxid: last } = span;
  let tree: PastTree | undefined;
  const onTree = (found: PastTree): void => {
    tree = found;
  };
  const request = { call, folder, open, files, target, last, onTree };
  const moment = await firstThatLeads(request, (snapshot) => replayTo(snapshot, request));
  if (tree === undefined) throw new Error('a moment without a tree');
  return { moment, span, tree };
}

/** Without a record of the path, a restore would delete the whole subtree. @throws CommandError */
function checkPast(tree: PastTree, path: string, { zxid }: Moment): void {
  const at = formatZxid(zxid);
  const node = tree.get(path);
  const why =
    node === undefined
      ? `did not exist at ${at}`
      : isPastEphemeral(tree, node)
        ? `was an ephemeral at ${at}`
        : undefined;
  if (why === undefined) return;
  throw usageError(
    `${path}: ${why} (expected a persistent znode of the backup)\nChoose another moment or path`,
  );
}

/** A session with the first member that accepts one. */
async function openFirst(call: TaskCall): Promise<MemberSession> {
  const reasons: string[] = [];
  for (const address of call.members) {
    call.signal.throwIfAborted();
    try {
      return await openSession(call, address);
    } catch (error) {
      const [name, reason] = [`${address.host}:${address.port}`, describeError(error)];
      reasons.push(reason.includes(name) ? reason : `${name}: ${reason}`);
    }
  }
  throw runFault(
    `no member accepts a session: ${reasons.join('; ')}\nName the members with --servers: see zkops check`,
  );
}

interface Restore {
  readonly call: TaskCall;
  readonly client: ZooKeeperClient;
  readonly tree: PastTree;
  readonly path: string;
  readonly isThere: boolean;
}

interface Plan {
  readonly counts: Tally;
  readonly sample: readonly Row[];
  readonly ephemerals: number;
}

function compare({ call, client, tree, path, isThere }: Restore) {
  const hasAcls = !call.has('keep-acls');
  const present = new TreeSource(client, path, {
    signal: call.signal,
    hasAcls,
    hasEphemerals: false,
  });
  const differences = compareRecords(
    pastRecords(tree, path, hasAcls),
    isThere ? present.records() : nothing(),
  );
  return { present, differences };
}

async function* nothing(): ReturnType<typeof pastRecords> {}

/** @throws CommandError if some znodes of the ensemble cannot be read */
async function plan(restore: Restore): Promise<Plan> {
  const { call, path } = restore;
  const { present, differences } = compare(restore);
  const limit = call.number('limit') ?? DEFAULT_LIMIT;
  const counts = emptyTally();
  const sample: Row[] = [];
  for await (const difference of differences) {
    tally(counts, difference);
    if (sample.length < limit) sample.push(rowOf(path, difference));
  }
  call.signal.throwIfAborted();
  const { unread, maskedAcls, ephemeralsLeftOut } = present;
  if (unread + maskedAcls > 0) {
    throw runFault(
      `${path}: this session may not read ${counted(unread, 'znode')} and ${counted(maskedAcls, 'ACL')}\nAdd --auth USER:PASSWORD, or --keep-acls if only ACLs are hidden`,
    );
  }
  return { counts, sample, ephemerals: ephemeralsLeftOut };
}

function rowOf(root: string, { path, left, right, ...is }: Difference): Row {
  const place = root === '/' ? path || '/' : `${root}${path}`;
  if (left === undefined) return ['delete', place, undefined];
  if (right === undefined) return ['create', place, undefined];
  const parts = [is.isDataDifferent ? 'data' : '', is.isAclDifferent ? 'ACL' : ''];
  return ['set', place, parts.filter((part) => part !== '').join(', ')];
}

/** @throws CommandError if neither the znode nor its parent is there */
async function isPresent(client: ZooKeeperClient, path: string): Promise<boolean> {
  await client.sync(path);
  if ((await client.exists(path)) !== null) return true;
  const parent = parentPath(path);
  if ((await client.exists(parent)) !== null) return false;
  throw runFault(
    `${path}: cannot be restored: its parent ${parent} does not exist\nRestore ${parent}, or create it first`,
  );
}

async function apply(restore: Restore): Promise<Tally> {
  const { call, client, path } = restore;
  const counts = await applyDifferences(compare(restore).differences, client, path, {
    signal: call.signal,
    mayDelete: () => true,
    hasAcls: !call.has('keep-acls'),
    progress: (count) => call.progress('changed', count, 0),
  });
  call.signal.throwIfAborted();
  return counts;
}

async function run(call: TaskCall): Promise<Report> {
  const [, path = '/'] = call.args;
  checkCall(call, path);
  const past = await loadPast(call);
  const { moment, tree } = past;
  checkPast(tree, path, moment);
  const session = await openFirst(call);
  try {
    const { client } = session;
    const restore = { call, client, tree, path, isThere: await isPresent(client, path) };
    const planned = await plan(restore);
    const isDry = call.has('dry-run');
    const counts = isDry ? planned.counts : await apply(restore);
    return reportOf(path, past, { ...planned, counts }, isDry);
  } catch (error) {
    throw call.signal.aborted ? error : asFault(path, error);
  } finally {
    await closeSession(session, timeoutOf(call));
  }
}

const CONTINUE =
  'See what still differs with --dry-run, then run the same command again: it continues';

const ADVICE: ReadonlyMap<string, string> = new Map([
  ['NOAUTH', 'Add --auth USER:PASSWORD or --sasl-file FILE'],
  ['SESSIONCLOSEDREQUIRESASLAUTH', 'The servers require a login: add --sasl-file FILE'],
]);

function asFault(path: string, error: unknown): unknown {
  if (isRunFault(error)) return error;
  if (error instanceof CommandError && error.exitCode !== ExitCode.usage) {
    return runFault(`${path}: not completely restored: ${error.message}\n${CONTINUE}`, {
      cause: error,
    });
  }
  if (!(error instanceof ZooKeeperError)) return error;
  const next = ADVICE.get(error.code) ?? CONTINUE;
  // The message names the path.
  return runFault(`${error.message}\n${next}`, { cause: error });
}

function reportOf(path: string, { moment, span }: Past, planned: Plan, isDry: boolean): Report {
  const { counts, sample, ephemerals } = planned;
  const { created, set, aclsSet, deleted } = counts;
  const at = formatZxid(moment.zxid);
  const done = `${created} created, ${set} set, ${counted(aclsSet, 'ACL')} set, ${deleted} deleted`;
  const summary = isDry ? `would restore ${path} as of ${at}` : `restored ${path} as of ${at}`;
  // One row may stand for a change of data and of the ACL.
  const isCut = created + set + deleted > sample.length;
  return finishedReport(COLUMNS, sample, {
    verdict: concludeFrom(problemsOfMoment(moment, span), `${summary}: ${done}`),
    notes: [
      ...(isCut ? [`the list has the first ${sample.length} changes: see --limit`] : []),
      ...(ephemerals > 0 ? [`ephemerals that stay unchanged: ${ephemerals}`] : []),
    ],
    totals: { zxid: at, ...counts, ephemerals, isDryRun: isDry },
  });
}

const COLUMNS = namedColumns('action', 'path', 'changes');

export const restorePath: Task = {
  name: 'restore-path',
  summary: 'Make one subtree of a running ensemble equal to a past moment (requires --yes)',
  args: {
    ...BACKUP,
    path: { kind: 'text', summary: 'the znode to restore, with its descendants' },
  },
  options: {
    ...AT_OPTION,
    ...KEY_FILE_OPTION,
    'dry-run': { letter: 'n', summary: 'list the changes, and make none' },
    yes: { letter: 'y', summary: 'confirm: later changes of the subtree are lost' },
    'keep-acls': { summary: 'keep the ACLs of the ensemble' },
    limit: {
      ...COUNT,
      valueName: 'N',
      fallback: DEFAULT_LIMIT,
      summary: 'list at most this many changes',
    },
    ...AUTH_OPTIONS,
    ...TIMEOUT_OPTION,
    ...MAX_ENTRY_OPTION,
  },
  hasMembers: true,
  changesEnsemble: unlessDryRun,
  run,
};
