/** The quorum of an ensemble of two voters that has an oracle (QuorumOracleMaj). */
import { containsQuorum, participants, type QuorumConfig } from './quorum-config.js';

/** Whether the oracle lets the other of two voters go on without this one. */
export type IsExcused = (sid: number) => boolean;

/** The oracle was not asked. */
export const NOBODY: IsExcused = () => false;

/**
 * As `containsQuorum`; but if exactly two servers vote, without groups, one suffices while the
 * oracle excuses the other.
 */
export function containsExcusedQuorum(
  config: QuorumConfig,
  sids: ReadonlySet<number>,
  isExcused: IsExcused,
): boolean {
  if (containsQuorum(config, sids)) return true;
  const pair = participants(config);
  if (pair.length !== 2 || config.groups.size > 0) return false;
  return pair.some((sid) => sids.has(sid)) && pair.every((sid) => sids.has(sid) || isExcused(sid));
}
