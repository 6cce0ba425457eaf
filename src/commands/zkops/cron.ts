// What a run leaves behind for the next one, and what keeps two from meeting: the files of --lock,
// --state and --out.

import type { EarlierLook } from '../ensemble/earlier-look.js';
import { RunFault } from '../ensemble/run-fault.js';
import type { OpsResult } from '../ensemble/verdict/result.js';
import { writeAtomically } from '../program/atomic-file.js';
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

/** What the run before left. A state that cannot be read is told, and the run begins a new one. */
export function loadState(
  { state }: CronOptions,
  warn: (message: string) => void,
): RunState | undefined {
  if (state === undefined) return undefined;
  try {
    return readStateFile(state);
  } catch (error) {
    warn(`--state ${state} cannot be used: ${messageOf(error)}; a new one is begun`);
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
export function keepState(
  { state: file, for: forRuns = 1 }: CronOptions,
  before: RunState | undefined,
  found: OpsResult,
): OpsResult {
  if (file === undefined) return found;
  const { state, result } = advance(before, found, forRuns);
  asFault('--state', file, () => writeAtomically(file, formatState(state)));
  return result;
}

/** @throws RunFault when the file cannot be written */
export function writeResult(option: string, file: string, content: string | Buffer): void {
  asFault(option, file, () => writeAtomically(file, content));
}

function asFault<Value>(option: string, file: string, work: () => Value): Value {
  try {
    return work();
  } catch (cause) {
    throw new RunFault(`${option} ${file} cannot be written: ${messageOf(cause)}`, { cause });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
