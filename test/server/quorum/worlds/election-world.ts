import {
  type Candidate,
  FastLeaderElection,
} from '../../../../src/server/quorum/election/fast-leader-election.js';
import {
  formatQuorumConfig,
  parseQuorumConfig,
  type QuorumConfig,
} from '../../../../src/server/quorum/membership/quorum-config.js';
import {
  decodeNotification,
  encodeNotification,
  type Notification,
  type PeerState,
  type Vote,
} from '../../../../src/server/quorum/wire/notification.js';

export const WAITS = { minIntervalMs: 200, maxIntervalMs: 60_000, finalizeWaitMs: 200 };

export function configOf(text: string): QuorumConfig {
  const config = parseQuorumConfig(text);
  if (typeof config === 'string') throw new Error(config);
  return config;
}

/** Participants 1 to `size`, and further lines. */
export function ensembleOf(size: number, ...lines: string[]): QuorumConfig {
  const servers = Array.from({ length: size }, (_, at) => `server.${at + 1}=h${at + 1}:2888:3888`);
  return configOf([...servers, ...lines].join('\n'));
}

/** A frame from another server. */
export function frameOf(
  state: PeerState,
  vote: Partial<Vote>,
  config: QuorumConfig = ensembleOf(3),
): Buffer {
  return encodeNotification({
    state,
    vote: { leader: 1, zxid: 0n, electionEpoch: 1n, peerEpoch: 0n, ...vote },
    version: 2,
    config: formatQuorumConfig(config),
  });
}

export function decoded(frame: Buffer): Notification {
  const found = decodeNotification(frame);
  if (typeof found === 'string') throw new Error(found);
  return found;
}

/** Its outgoing notifications, as "to:state:leader@round". */
export function said(election: FastLeaderElection): string[] {
  return election
    .takeOutgoing()
    .map(({ to, frame }) => {
      const { state, vote } = decoded(frame);
      return `${to}:${state}:${vote.leader < 0 ? 'nobody' : vote.leader}@${vote.electionEpoch}`;
    })
    .sort();
}

/** One server under test that begins to look at 0 ms. */
export function looking(
  sid: number,
  candidate: Partial<Candidate> = {},
  config: QuorumConfig = candidate.config ?? ensembleOf(3),
): FastLeaderElection {
  const election = new FastLeaderElection({ sid, ...WAITS }, config);
  election.lookForLeader({ zxid: 0n, epoch: 0, isObserver: false, config, ...candidate }, 0);
  return election;
}
