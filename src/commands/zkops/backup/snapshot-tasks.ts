import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { formatZxid } from '../../../protocol/zxid.js';
import { copyChecked } from '../../data-files/copy-file.js';
import { shortBytes } from '../../ensemble/format.js';
import { concludeFrom } from '../../ensemble/verdict/blame.js';
import { type OptionSpecs, textOption } from '../../machine/declaration.js';
import { usageError } from '../../program/command-error.js';
import { counted } from '../../program/counted.js';
import { finishedReport, namedColumns, type Report, type Row } from '../../results/result.js';
import { adminOf, fetchSnapshot, sendSnapshot } from '../calls/admin-transfer.js';
import { AUTH_FILE_OPTION } from '../calls/options.js';
import { type Task, type TaskCall, unlessDryRun } from '../calls/task.js';
import { MAX_ENTRY_OPTION } from '../files/max-entry.js';
import { type CheckedSnapshot, checkSnapshot, verifySnapshot } from '../files/verify-snapshot.js';
import { asTargetFault } from './backup-folder.js';

const ADMIN_OPTIONS: OptionSpecs = {
  admin: {
    kind: 'text',
    valueName: 'URL',
    fallback: 'http://127.0.0.1:8080',
    summary: 'AdminServer of the server',
  },
  auth: textOption('USER:PASSWORD', 'digest id with every permission on the root znode'),
  ...AUTH_FILE_OPTION,
};

const checked = (call: TaskCall, file: string): Promise<CheckedSnapshot> =>
  checkSnapshot(call, file, () => undefined);

function reportOf(
  file: string,
  { outcome, problems }: CheckedSnapshot,
  zxid: string | undefined,
  summary: string,
): Report {
  const { size, nodes, sessions } = outcome;
  const row: Row = [file, size, zxid, nodes, sessions];
  return finishedReport(COLUMNS, [row], { verdict: concludeFrom(problems, summary) });
}

async function save(call: TaskCall): Promise<Report> {
  const [file = ''] = call.args;
  adminOf(call);
  if (existsSync(file)) {
    throw usageError(
      `${file}: exists: a snapshot never overwrites a file\nChoose another file name`,
    );
  }
  const part = `${file}.incomplete`;
  try {
    const zxid = await fetchSnapshot(call, part);
    const found = await checked(call, part);
    if (found.problems.length > 0) return reportOf(part, found, zxid, 'the snapshot is not whole');
    const places = { source: part, staging: `${file}.tmp`, target: file };
    await copyChecked(places, async () => undefined);
    return reportOf(file, found, zxid, `saved ${counted(found.outcome.nodes, 'znode')}`);
  } catch (error) {
    throw error instanceof Error && 'errno' in error ? asTargetFault(file, error) : error;
  } finally {
    await rm(part, { force: true });
  }
}

async function restore(call: TaskCall): Promise<Report> {
  const [file = ''] = call.args;
  const { origin } = adminOf(call);
  const isDry = call.has('dry-run');
  if (!isDry && !call.has('yes')) {
    throw usageError(
      `snapshot restore: replaces all data of ${origin}: add --yes to confirm, or --dry-run\nFirst save its data: zkops snapshot save`,
    );
  }
  const found = await checked(call, file);
  const { lastProcessedZxid, nodes, storedDigest } = found.outcome;
  const last = lastProcessedZxid ?? storedDigest?.zxid;
  const zxid = last === undefined ? undefined : formatZxid(last);
  if (found.problems.length > 0) return reportOf(file, found, zxid, 'nothing was restored');
  if (isDry) {
    return reportOf(
      file,
      found,
      zxid,
      `would replace all data of ${origin} by ${counted(nodes, 'znode')}`,
    );
  }
  await sendSnapshot(call, file);
  return reportOf(
    file,
    found,
    zxid,
    `${origin} has the ${counted(nodes, 'znode')} of the snapshot`,
  );
}

const COLUMNS = [
  { key: 'file' },
  { key: 'size', show: shortBytes },
  ...namedColumns('zxid', 'znodes', 'sessions'),
];

export const snapshot: readonly Task[] = [
  {
    name: 'save',
    summary: 'Take a snapshot of a running server over its AdminServer, and verify it',
    args: { file: { kind: 'file', summary: 'a snapshot file' } },
    options: { ...ADMIN_OPTIONS, ...MAX_ENTRY_OPTION },
    hasMembers: false,
    changesEnsemble: false,
    run: save,
  },
  {
    name: 'restore',
    summary: 'Replace the data of a running server or ensemble with a snapshot (requires --yes)',
    args: { file: { kind: 'file', summary: 'a snapshot file' } },
    options: {
      ...ADMIN_OPTIONS,
      'dry-run': { letter: 'n', summary: 'verify the file, and change nothing' },
      yes: { letter: 'y', summary: 'confirm: all data of the server is replaced' },
      ...MAX_ENTRY_OPTION,
    },
    hasMembers: false,
    changesEnsemble: unlessDryRun,
    run: restore,
  },
  { ...verifySnapshot, name: 'status', summary: 'Verify snapshot files, and count their znodes' },
];
