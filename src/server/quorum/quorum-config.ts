/** The membership of an ensemble, and which sets of its servers are a quorum (QuorumVerifier). */
import type { QuorumServerConfig } from '../config-ensemble.js';

export interface QuorumConfig {
  /** The zxid of the reconfig that made it; 0n for the lines of zoo.cfg. */
  readonly version: bigint;
  /** By sid. */
  readonly members: ReadonlyMap<number, QuorumServerConfig>;
  /** Group number to the sids in it; empty where a majority decides. */
  readonly groups: ReadonlyMap<number, readonly number[]>;
  /** Sid to weight; 1 where nothing is said. */
  readonly weights: ReadonlyMap<number, number>;
}

/** Does it vote? A participant; in a hierarchy one whose weight is not 0. */
export function isVoter(config: QuorumConfig, sid: number): boolean {
  return config.members.get(sid)?.role === 'participant';
}

export function containsQuorum(config: QuorumConfig, sids: ReadonlySet<number>): boolean {
  let voters = 0;
  let agreed = 0;
  for (const { sid, role } of config.members.values()) {
    if (role !== 'participant') continue;
    voters++;
    if (sids.has(sid)) agreed++;
  }
  return agreed * 2 > voters;
}
