// The files of --lock, --state, and --out.

import { messageOf } from '../../protocol/message-of.js';
import { runFault } from '../ensemble/run-fault.js';
import type { Sample } from '../ensemble/sample.js';
import type { RunResult } from '../ensemble/verdict/result.js';
import { advance, type RunState } from '../ensemble/verdict/run-state.js';
import { ForeignFileError, formatState, readStateFile } from '../ensemble/verdict/state-file.js';
import { writeAtomically } from '../program/atomic-file.js';
import { usageError } from '../program/command-error.js';
import { takeRunLock } from '../program/run-lock.js';
import type { CliWorld } from './calls/cli-world.js';

export interface CronOptions {
  readonly lock?: string;
  readonly state?: string;
  /** Runs in a row that must find a problem before zkops reports it. */
  readonly for?: number;
  readonly out?: string;
  readonly deadline: number;
}

/** @throws CommandError when another run holds the lock, or its file cannot be written */
export async function underLock<Value>(
  { lock, deadline }: CronOptions,
  now: Date,
  work: () => Promise<Value>,
): Promise<Value> {
  if (lock === undefined) return work();
  const taken = asFault('--lock', lock, () => takeRunLock(lock, deadline, now.getTime()));
  if ('heldBy' in taken) {
    throw runFault(
      `--lock ${lock}: held by another run: process ${taken.heldBy}; no member was queried`,
    );
  }
  try {
    return await work();
  } finally {
    taken.release();
  }
}

/** Starts a new state, with a warning, if it is unreadable. */
export function loadState(
  { state, for: forRuns }: CronOptions,
  { writeError }: CliWorld,
): RunState | undefined {
  if (state === undefined) {
    if (forRuns === undefined) return undefined;
    throw usageError('--for: needs --state FILE, which counts the runs');
  }
  try {
    return readStateFile(state);
  } catch (error) {
    if (error instanceof ForeignFileError) {
      throw runFault(`--state ${state}: ${error.message}, so it is left as it is`);
    }
    const why = `cannot read: ${messageOf(error)}; starting a new state`;
    writeError(`zkops: --state ${state}: ${why}\n`);
    return undefined;
  }
}

export function earlierOf(state: RunState | undefined): ReadonlyMap<string, Sample> {
  return state?.members ?? new Map();
}

/** Saves the state, then adds the changes to the result. @throws CommandError if it cannot write */
export function keepState<Result extends RunResult>(
  { state: file, for: forRuns = 1 }: CronOptions,
  before: RunState | undefined,
  found: Result,
): Result {
  if (file === undefined) return found;
  const { state, result } = advance(before, found, forRuns);
  asFault('--state', file, () => writeAtomically(file, formatState(state)));
  return result;
}

/** @throws CommandError when `work` with the file of an option throws */
export function asFault<Value>(option: string, file = '', work: () => Value): Value {
  try {
    return work();
  } catch (cause) {
    throw runFault(`${option} ${file}: cannot write: ${messageOf(cause)}`, { cause });
  }
}
