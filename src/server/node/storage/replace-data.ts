/**
 * Replaces the files of a server that does not run (zkserver load and set-aside). It deletes none
 * of them: they move to `version-2.before-TIME` beside `version-2`.
 *
 * ```
 *   copy ─▶ read the copy as a start does ─▶ marker ─▶ old files go, new ones come ─▶ no marker
 * ```
 *
 * While the marker exists, no server starts: a crash in between leaves parts of both. An error
 * moves everything back.
 */
import { basename, dirname, join } from 'node:path';
import { ACCEPTED_EPOCH_FILE, CURRENT_EPOCH_FILE, decodeEpoch } from '../../../files/epochs.js';
import { VERSION_DIR } from '../../../files/file-names.js';
import { type FoundFile, logsAmong, snapshotsAmong } from '../../../files/recovery.js';
import { zxidEpoch } from '../../../protocol/zxid.js';
import { DataDir } from './data-dir.js';
import { unusable } from './errors.js';
import type { FileSystem } from './file-system.js';
import { exists, listFiles, makeFolder } from './folders.js';
import { readWhole } from './read-file.js';
import { REPLACING_MARKER, removeMarker, writeMarker } from './replacing-marker.js';

const STAGING = `${VERSION_DIR}.loading`;
const ASIDE = '.before-';
/** Sockets and files of the lock (dir-lock.ts). */
const LOCK_PREFIX = 'zkserver.';
const COPY_BYTES = 1024 * 1024;

export interface Replaced {
  /** Folders with the old files; none without old files. */
  readonly aside: readonly string[];
  /** Undefined if the server is left without data. */
  readonly loaded: { readonly zxid: bigint; readonly znodes: number } | undefined;
}

interface Move {
  readonly from: string;
  readonly to: string;
}

/**
 * Requires the lock of both folders.
 * @param from folders with the new files; without one, the server is left without data
 * @param stamp a part of the name for the old files
 * @throws ServerError EDATA for new files that a server would not load whole
 */
export async function replaceData(
  dir: DataDir,
  from: readonly string[],
  stamp: string,
): Promise<Replaced> {
  const { fs } = dir;
  // A folder may be a link to another disk.
  const snapFolder = await fs.realpath(dir.snapFolder);
  const logFolder = await fs.realpath(dir.logFolder);
  const staged = new DataDir({
    ...dir.options,
    dataDir: join(dirname(snapFolder), STAGING),
    dataLogDir: join(dirname(logFolder), STAGING),
    areFoldersMade: true,
    isEmptyTrusted: false,
    onWarning: (warning) => {
      throw unusable(`the new files are not whole: ${warning}`);
    },
  });
  try {
    await removeStaged(staged);
    const loaded =
      from.length === 0 ? undefined : await stage(staged, from, { snapFolder, logFolder });
    const old = await plansAside(fs, new Set([snapFolder, logFolder]), stamp);
    const fresh = loaded === undefined ? [] : await plansIn(staged, snapFolder, logFolder);
    await moveAll(fs, snapFolder, [...old, ...fresh]);
    return { aside: [...new Set(old.map(({ to }) => dirname(to)))], loaded };
  } finally {
    await removeStaged(staged);
  }
}

interface Folders {
  readonly snapFolder: string;
  readonly logFolder: string;
}

/** Copies the new files to the disks where they belong, and loads them. */
async function stage(
  staged: DataDir,
  from: readonly string[],
  targets: Folders,
): Promise<{ readonly zxid: bigint; readonly znodes: number }> {
  const { fs } = staged;
  await staged.makeFolders();
  const names = new Map<string, string>();
  for (const folder of from) {
    const files = await listFiles(fs, folder);
    for (const { name } of [...snapshotsAmong(files), ...logsAmong(files), ...epochsAmong(files)]) {
      const other = names.get(name);
      if (other !== undefined) throw unusable(`${name}: is in ${other} and in ${folder}`);
      names.set(name, folder);
      const isLog = logsAmong([{ name, size: 0 }]).length > 0;
      const [to, like] = isLog
        ? [staged.logFolder, targets.logFolder]
        : [staged.snapFolder, targets.snapFolder];
      await copyLike(fs, join(folder, name), join(to, name), like);
    }
  }
  if (snapshotsAmong(await listFiles(fs, staged.snapFolder)).length === 0) {
    throw unusable(`${from.join(' and ')}: no snapshot (expected a folder with snapshot.* files)`);
  }
  const { database } = await staged.recover();
  const { tree } = database;
  await keepPromise(staged, zxidEpoch(tree.lastProcessedZxid), targets.snapFolder);
  return { zxid: tree.lastProcessedZxid, znodes: tree.nodeCount };
}

/**
 * The server keeps the highest epoch that it accepted, also one that went aside before. Otherwise
 * the ensemble would use an epoch twice: two txns would have one zxid, and a member or a client
 * that knows the old ones could not tell.
 */
async function keepPromise(staged: DataDir, loaded: number, snapFolder: string): Promise<void> {
  const { fs } = staged;
  const copy = join(staged.snapFolder, ACCEPTED_EPOCH_FILE);
  const beside = (await fs.readdir(dirname(snapFolder))).filter((name) =>
    name.startsWith(`${basename(snapFolder)}${ASIDE}`),
  );
  const folders = [snapFolder, ...beside.map((name) => join(dirname(snapFolder), name))];
  let highest = Math.max(loaded, await acceptedIn(fs, copy));
  for (const path of folders.map((folder) => join(folder, ACCEPTED_EPOCH_FILE))) {
    const accepted = await acceptedIn(fs, path);
    if (accepted <= highest) continue;
    if (await exists(fs, copy)) await fs.unlink(copy);
    await copyLike(fs, path, copy, snapFolder);
    highest = accepted;
  }
}

/** 0 without a valid file. */
async function acceptedIn(fs: FileSystem, path: string): Promise<number> {
  if (!(await exists(fs, path))) return 0;
  return decodeEpoch((await readWhole(fs, path)).toString('latin1')) ?? 0;
}

function epochsAmong(files: readonly FoundFile[]): FoundFile[] {
  return files.filter(({ name }) => name === ACCEPTED_EPOCH_FILE || name === CURRENT_EPOCH_FILE);
}

/** A durable copy with the owner of the folder, and its permissions without those to enter it. */
async function copyLike(fs: FileSystem, from: string, to: string, like: string): Promise<void> {
  const source = await fs.open(from, 'read');
  try {
    const copy = await fs.open(to, 'create', { mode: 0o600 });
    try {
      const { uid, gid, mode } = await fs.stat(like);
      await copy.setAccess({ uid, gid, mode: mode & 0o666 });
      const buffer = Buffer.alloc(COPY_BYTES);
      for (let at = 0; ; ) {
        const length = await source.read(buffer, at);
        if (length === 0) break;
        await copy.write([buffer.subarray(0, length)], at);
        at += length;
      }
      await copy.sync();
    } finally {
      await copy.close();
    }
  } finally {
    await source.close();
  }
}

/** Snapshots first: on logs without a snapshot, no server starts. */
async function plansAside(
  fs: FileSystem,
  folders: ReadonlySet<string>,
  stamp: string,
): Promise<Move[]> {
  const moves: Move[] = [];
  for (const folder of folders) {
    const aside = join(dirname(folder), `${basename(folder)}${ASIDE}${stamp}`);
    const files = (await listFiles(fs, folder)).filter(
      ({ name }) => name !== REPLACING_MARKER && !name.startsWith(LOCK_PREFIX),
    );
    const snapshots = new Set(snapshotsAmong(files).map(({ name }) => name));
    files.sort((a, b) => Number(snapshots.has(b.name)) - Number(snapshots.has(a.name)));
    moves.push(...files.map(({ name }) => ({ from: join(folder, name), to: join(aside, name) })));
  }
  return moves;
}

/** Logs first, for the same reason. */
async function plansIn(staged: DataDir, snapFolder: string, logFolder: string): Promise<Move[]> {
  const { fs } = staged;
  const logs = logsAmong(await listFiles(fs, staged.logFolder));
  const isLog = new Set(logs.map(({ name }) => name));
  const rest = await listFiles(fs, staged.snapFolder);
  const others = rest.filter(({ name }) => !isLog.has(name));
  return [
    ...logs.map(({ name }) => ({ from: join(staged.logFolder, name), to: join(logFolder, name) })),
    ...others.map(({ name }) => ({
      from: join(staged.snapFolder, name),
      to: join(snapFolder, name),
    })),
  ];
}

async function moveAll(fs: FileSystem, snapFolder: string, moves: readonly Move[]): Promise<void> {
  const done: Move[] = [];
  try {
    await writeMarker(fs, snapFolder);
    for (const move of moves) {
      await makeLike(fs, dirname(move.to), dirname(move.from));
      await fs.rename(move.from, move.to);
      done.push(move);
    }
    await syncFolders(fs, moves);
  } catch (cause) {
    // If this fails, too, the marker keeps the server from a start.
    for (const { from, to } of done.reverse()) await fs.rename(to, from);
    await syncFolders(fs, done);
    await removeMarker(fs, snapFolder);
    const why = cause instanceof Error ? cause.message : String(cause);
    throw unusable(`${snapFolder}: cannot replace the files, so all are as before: ${why}`, cause);
  }
  await removeMarker(fs, snapFolder);
}

/** A folder with the owner and the permissions of another one. */
async function makeLike(fs: FileSystem, folder: string, like: string): Promise<void> {
  const isThere = await fs.stat(folder).then(
    () => true,
    () => false,
  );
  if (isThere) return;
  await makeFolder(fs, folder);
  await takeAccess(fs, folder, like);
}

/** Gives a folder that root made to the user of the server. */
export async function takeAccess(fs: FileSystem, folder: string, like: string): Promise<void> {
  const wanted = await fs.stat(like);
  const found = await fs.stat(folder);
  if (found.uid === wanted.uid && found.gid === wanted.gid && found.mode === wanted.mode) return;
  const handle = await fs.open(folder, 'read');
  try {
    await handle.setAccess(wanted);
  } finally {
    await handle.close();
  }
}

async function syncFolders(fs: FileSystem, moves: readonly Move[]): Promise<void> {
  const folders = new Set(moves.flatMap(({ from, to }) => [dirname(from), dirname(to)]));
  for (const folder of folders) await fs.syncFolder(folder);
}

async function removeStaged({ fs, snapFolder, logFolder, options }: DataDir): Promise<void> {
  const folders = [snapFolder, logFolder, options.dataDir, options.dataLogDir];
  for (const folder of new Set(folders)) {
    const isThere = await fs.stat(folder).then(
      () => true,
      () => false,
    );
    if (!isThere) continue;
    for (const { name } of await listFiles(fs, folder)) await fs.unlink(join(folder, name));
    await fs.rmdir(folder);
  }
}
