// What a run leaves behind for the next one, and what keeps two from meeting: the files of --lock,
// --state and --out.

import type { EarlierLook } from '../ensemble/earlier-look.js';
import { RunFault } from '../ensemble/run-fault.js';
import { UsageError } from '../ensemble/usage-error.js';
import type { RunResult } from '../ensemble/verdict/result.js';
import { writeAtomically } from '../program/atomic-file.js';
import type { CliWorld } from './calls/cli-world.js';
import { takeRunLock } from './run-lock.js';
import { advance, type RunState } from './run-state.js';
import { formatState, readStateFile } from './state-file.js';

export interface CronOptions {
  readonly lock?: string;
  readonly state?: string;
  /** How many runs in a row must find a problem before it is told. */
  readonly for?: number;
  readonly out?: string;
  readonly deadline: number;
}

/**
 * Runs `work` under the lock, where one is asked for.
 * @throws RunFault when another run holds it, or the file cannot be written
 */
export async function underLock<Value>(
  { lock, deadline }: CronOptions,
  now: Date,
  work: () => Promise<Value>,
): Promise<Value> {
  if (lock === undefined) return work();
  const taken = asFault('--lock', lock, () => takeRunLock(lock, deadline, now.getTime()));
  if ('heldBy' in taken) {
    throw new RunFault(`${lock} is held by another run, process ${taken.heldBy}: nobody was asked`);
  }
  try {
    return await work();
  } finally {
    taken.release();
  }
}

/**
 * Reads the state that the previous run wrote. Reports a state that it cannot read, and starts a
 * new one.
 * @throws UsageError for `--for` without a state
 */
export function loadState(
  { state, for: forRuns }: CronOptions,
  { writeError }: CliWorld,
): RunState | undefined {
  if (state === undefined) {
    if (forRuns === undefined) return undefined;
    throw new UsageError('--for counts runs, which only --state FILE remembers');
  }
  try {
    return readStateFile(state);
  } catch (error) {
    const why = `cannot be used: ${messageOf(error)}; a new one is begun`;
    writeError(`zkops: --state ${state} ${why}\n`);
    return undefined;
  }
}

export function earlierOf(state: RunState | undefined): ReadonlyMap<string, EarlierLook> {
  return state?.members ?? new Map();
}

/**
 * The result with what is new since the run before; the state is on the disk before it is told.
 * @throws RunFault when it cannot be written
 */
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

/** @throws RunFault when `work` with the file of an option throws */
export function asFault<Value>(option: string, file = '', work: () => Value): Value {
  try {
    return work();
  } catch (cause) {
    throw new RunFault(`${option} ${file} cannot be written: ${messageOf(cause)}`, { cause });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
