import { setTimeout as delay } from 'node:timers/promises';
import { statusOf } from '../../ensemble/status.js';
import type { OpsResult, Problem } from '../../ensemble/verdict/result.js';
import { quorumOf } from './may-stop.js';

export const PAUSE_MS = 250;

/** The reason to stop a change of the ensemble. */
export class Doubt extends Error {
  override readonly name = 'Doubt';
}

/** Ignores the member whose restart was interrupted. */
export function doubtOf(
  { verdict, members }: OpsResult,
  interrupted: string | null,
): string | undefined {
  const [problem] = verdict.problems.filter(
    ({ server }) => interrupted === null || server !== interrupted,
  );
  if (problem !== undefined) return `${namePrefix(problem)}${problem.text}`;
  const statuses = members.map(statusOf);
  const { voters } = quorumOf(statuses);
  const listed = statuses.filter(({ isObserver }) => !isObserver).length;
  if (listed >= voters) return undefined;
  return `${listed} of ${voters} voters are in the list of members: list all of them`;
}

function namePrefix({ server, text }: Problem): string {
  return server === undefined || text.startsWith(server) ? '' : `${server}: `;
}

export interface Settling {
  readonly poll: () => Promise<OpsResult>;
  /** Returns why a result is not good enough. */
  readonly find: (result: OpsResult) => string | undefined;
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** Ends after two good polls in a row, since a good state may be short. @throws Doubt */
export async function settle({ poll, find, waitMs, signal }: Settling): Promise<OpsResult> {
  const startedAt = performance.now();
  let isGoodBefore = false;
  for (;;) {
    const seen = await poll();
    signal.throwIfAborted();
    const doubt = find(seen);
    if (doubt === undefined && isGoodBefore) return seen;
    isGoodBefore = doubt === undefined;
    const waitedMs = performance.now() - startedAt;
    if (doubt !== undefined && waitedMs > waitMs) {
      throw new Doubt(`${doubt} (waited ${Math.round(waitedMs / 1000)} s)`);
    }
    await delay(PAUSE_MS, undefined, { signal });
  }
}
