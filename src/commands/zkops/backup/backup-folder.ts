import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION_DIR } from '../../../files/file-names.js';
import { type OpenFile, openPlain } from '../../data-files/open-file.js';
import { isRunFault, runFault } from '../../ensemble/run-fault.js';
import { writeAtomically } from '../../program/atomic-file.js';
import type { CommandError } from '../../program/command-error.js';
import { hasCode } from '../../program/file-error.js';
import { takeRunLock } from '../../program/run-lock.js';
import { openEncrypted } from './encrypted-file.js';
import { checkOfKey } from './key-file.js';

const SCHEMA = 'zkops-backup/1';
/** A version that cannot decrypt refuses it. */
const ENCRYPTED = 'zkops-backup/1-encrypted';
const MARKER = 'zkops-backup.json';
const LOCK = 'zkops-backup.lock';
/** A backup holds the lock until its process ends. */
const LOCK_MS = 3650 * 86_400_000;

/** A marker, a lock, and the files in the layout of a server. */
export class BackupFolder {
  readonly path: string;
  readonly files: string;
  /** Copies before their check. */
  readonly staging: string;
  /** Undefined for a backup that is not encrypted. */
  readonly key: Buffer | undefined;
  private readonly release: () => void;

  private constructor(path: string, key: Buffer | undefined, release: () => void) {
    this.path = path;
    this.key = key;
    this.files = join(path, VERSION_DIR);
    this.staging = join(path, 'incoming');
    this.release = release;
  }

  /** @throws CommandError for a folder that is not a backup, or while another backup uses it */
  static open(path: string, nowMs: number, key: Buffer | undefined): BackupFolder {
    try {
      const marker = join(path, MARKER);
      if (existsSync(marker)) checkMarker(marker, readFileSync(marker, 'utf8'), key);
      else if (existsSync(path) && readdirSync(path).length > 0) {
        throw runFault(
          `${path}: is not empty, and has no backup\nChoose an empty folder with --to`,
        );
      }
      mkdirSync(join(path, VERSION_DIR), { recursive: true, mode: 0o750 });
      const lock = takeRunLock(join(path, LOCK), LOCK_MS, nowMs);
      if ('heldBy' in lock) {
        throw runFault(
          `${path}: another backup writes to it: process ${lock.heldBy}\nStop that one, or choose another folder with --to`,
        );
      }
      const folder = new BackupFolder(path, key, () => lock.release());
      if (!existsSync(marker)) writeAtomically(marker, `${JSON.stringify(markerOf(key))}\n`);
      rmSync(folder.staging, { recursive: true, force: true });
      mkdirSync(folder.staging, { mode: 0o750 });
      return folder;
    } catch (cause) {
      throw asTargetFault(path, cause);
    }
  }

  /** The content of its marker. */
  get marker(): string {
    return readFileSync(join(this.path, MARKER), 'utf8');
  }

  close(): void {
    this.release();
  }
}

/** A folder that `backupFiles` accepts. */
export function writeMarker(path: string, text: string): void {
  writeFileSync(join(path, MARKER), text, { mode: 0o600 });
}

/** The folder of the files, and how to read them. */
export interface BackupFiles {
  readonly folder: string;
  readonly open: OpenFile;
  /** The folder or the bucket, in texts. */
  readonly shown: string;
  /** Objects of a bucket that are not those that were written. */
  readonly damage: readonly string[];
}

/** @throws CommandError for a folder without a backup, or with another key */
export function backupFiles(path: string, key: Buffer | undefined): BackupFiles {
  checkMarker(join(path, MARKER), readMarker(path), key);
  const open = key === undefined ? openPlain : openEncrypted(key);
  const folder = join(path, VERSION_DIR);
  return { folder, open, shown: folder, damage: [] };
}

function readMarker(path: string): string {
  try {
    return readFileSync(join(path, MARKER), 'utf8');
  } catch (error) {
    if (hasCode(error, 'EACCES')) throw unreadable(path);
    if (!hasCode(error, 'ENOENT') && !hasCode(error, 'ENOTDIR')) throw error;
    throw runFault(
      `${path}: has no backup: ${MARKER} is missing\nPass the --to folder of zkops backup run`,
    );
  }
}

/** A member and its backup belong to users other than the operator. */
export function unreadable(path: string): CommandError {
  return runFault(
    `${path}: no permission to read it\nRun this as root, or as the user who owns the files`,
  );
}

function markerOf(key: Buffer | undefined) {
  return key === undefined ? { schema: SCHEMA } : { schema: ENCRYPTED, key: checkOfKey(key) };
}

/** @param text the marker of a backup. @throws CommandError for another key */
export function checkMarker(marker: string, text: string, key: Buffer | undefined): void {
  if (text.includes(`"${SCHEMA}"`)) {
    if (key === undefined) return;
    throw runFault(
      `${marker}: the backup is not encrypted\nLeave out --key-file, or choose an empty folder with --to`,
    );
  }
  if (!text.includes(`"${ENCRYPTED}"`)) {
    throw runFault(`${marker}: unsupported version of a backup (expected ${SCHEMA})`);
  }
  if (key === undefined) {
    throw runFault(`${marker}: the backup is encrypted\nName its key with --key-file`);
  }
  if (!text.includes(`"${checkOfKey(key)}"`)) {
    throw runFault(`${marker}: the backup has another key\nName its key with --key-file`);
  }
}

export function asTargetFault(path: string, cause: unknown): Error {
  if (isRunFault(cause) || !(cause instanceof Error) || !('code' in cause)) {
    return cause instanceof Error ? cause : new Error(String(cause));
  }
  const isFull = cause.code === 'ENOSPC' || cause.code === 'EDQUOT';
  const next = isFull
    ? 'Free space or lower --keep-time, then run the same command again: it continues'
    : 'Correct this, then run the same command again: it continues';
  const why = isFull ? 'the disk is full' : cause.message;
  return runFault(`${path}: cannot write the backup: ${why}\n${next}`, { cause });
}
