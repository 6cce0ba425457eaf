import { readFileSync } from 'node:fs';
import { runFault } from '../../ensemble/run-fault.js';
import { writeAtomically } from '../../program/atomic-file.js';
import { usageError } from '../../program/command-error.js';
import { hasCode } from '../../program/file-error.js';

const SCHEMA = 'zkops-roll/1';

/** The state of a rolling restart, for --resume. */
export interface Roll {
  readonly command: string;
  readonly members: readonly string[];
  /** By name, if the command needs ids: a member that is down reports none. */
  readonly ids: Readonly<Record<string, string>>;
  /** Members that were restarted and are in sync again. */
  readonly done: readonly string[];
  /** The restart of this member began, but its success is unknown. */
  readonly underway: string | null;
}

/** @throws CommandError if the file has another roll, CommandError if it cannot be read */
export function openRoll(file: string | undefined, fresh: Roll): Roll {
  const found = file === undefined ? undefined : readRoll(file);
  if (found === undefined) return fresh;
  const areSame = found.members.toSorted().join() === fresh.members.toSorted().join();
  // A command that has restarted no member may be corrected.
  const mayRun = found.command === fresh.command || found.done.length === 0;
  if (areSame && mayRun) return { ...found, command: fresh.command };
  throw usageError(
    `--resume ${file}: has the state of another roll: ${found.command} on ${found.members.join(', ')}\nFinish that roll with its own command, or remove the file to start a new one`,
  );
}

export function saveRoll(file: string | undefined, roll: Roll): void {
  if (file === undefined) return;
  try {
    writeAtomically(file, `${JSON.stringify({ schema: SCHEMA, ...roll })}\n`);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw runFault(`--resume ${file}: cannot write: ${why}`, { cause });
  }
}

function readRoll(file: string): Roll | undefined {
  let why: string;
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (isRoll(value)) return value;
    why = `not a ${SCHEMA} file`;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    why = error instanceof Error ? error.message : String(error);
  }
  throw runFault(`--resume ${file}: cannot read: ${why}\nRemove it to start a new roll`);
}

function isRoll(value: unknown): value is Roll {
  if (typeof value !== 'object' || value === null) return false;
  const { schema, command, members, ids, done, underway } = value as Partial<
    Record<string, unknown>
  >;
  return (
    schema === SCHEMA &&
    typeof command === 'string' &&
    Array.isArray(members) &&
    Array.isArray(done) &&
    typeof ids === 'object' &&
    ids !== null &&
    (underway === null || typeof underway === 'string')
  );
}
