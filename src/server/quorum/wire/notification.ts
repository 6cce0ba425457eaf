/**
 * Votes, and the only message of election connections (FastLeaderElection.buildMsg), without its
 * length.
 */
import { assert } from '../../../base/assert.js';
import { MAX_EPOCH } from '../../../protocol/zxid.js';

/** In the order of their numbers on the wire (QuorumPeer.ServerState). */
export const PEER_STATES = ['looking', 'following', 'leading', 'observing'] as const;
export type PeerState = (typeof PEER_STATES)[number];

export interface Vote {
  readonly leader: number;
  readonly zxid: bigint;
  /** The round of the election in which the vote was cast. */
  readonly electionEpoch: bigint;
  /** The currentEpoch of the proposed leader. */
  readonly peerEpoch: bigint;
}

export type Candidacy = Pick<Vote, 'leader' | 'zxid' | 'peerEpoch'>;

/** The later epoch wins, then the later zxid, then the higher sid. */
export function isBetter(a: Candidacy, b: Candidacy): boolean {
  if (a.peerEpoch !== b.peerEpoch) return a.peerEpoch > b.peerEpoch;
  if (a.zxid !== b.zxid) return a.zxid > b.zxid;
  return a.leader > b.leader;
}

const VERSION = 2;
/** Servers before 3.4 send no epoch of the candidate. */
const LENGTH_WITHOUT_EPOCH = 28;
/** Servers before 3.5 send no configuration, and their version field is not a version. */
const LENGTH_WITHOUT_CONFIG = 40;

export interface Notification {
  readonly state: PeerState;
  readonly vote: Vote;
  /** 0 for the older forms. */
  readonly version: number;
  /** Undefined in the older forms. */
  readonly config: string | undefined;
}

export function encodeNotification({ state, vote, config }: Notification): Buffer {
  const stateNumber = PEER_STATES.indexOf(state);
  assert(stateNumber >= 0, 'vote: unknown state', state);
  const text = Buffer.from(config ?? '');
  const frame = Buffer.alloc(44 + text.length);
  frame.writeInt32BE(stateNumber, 0);
  frame.writeBigInt64BE(BigInt(vote.leader), 4);
  frame.writeBigInt64BE(vote.zxid, 12);
  frame.writeBigInt64BE(vote.electionEpoch, 20);
  frame.writeBigInt64BE(vote.peerEpoch, 28);
  frame.writeInt32BE(VERSION, 36);
  frame.writeInt32BE(text.length, 40);
  text.copy(frame, 44);
  return frame;
}

/** Below all rounds: a vote in it is for nobody, and every server answers it. */
export const PROBE_ROUND = -(2n ** 63n);

/** Checks whether a server is alive; without a version, so it needs no configuration. */
export function encodeProbe(sid: number): Buffer {
  const vote = { leader: sid, zxid: 0n, electionEpoch: PROBE_ROUND, peerEpoch: 0n };
  const whole = encodeNotification({ state: 'looking', vote, version: 0, config: undefined });
  return whole.subarray(0, LENGTH_WITHOUT_CONFIG);
}

/** A string describes an error. */
export function decodeNotification(frame: Buffer): Notification | string {
  const { length } = frame;
  if (length < LENGTH_WITHOUT_EPOCH) {
    return `too short: ${length} bytes (expected at least ${LENGTH_WITHOUT_EPOCH})`;
  }
  const isOldest = length === LENGTH_WITHOUT_EPOCH;
  if (!isOldest && length < LENGTH_WITHOUT_CONFIG) {
    return `too short: ${length} bytes (expected at least ${LENGTH_WITHOUT_CONFIG})`;
  }
  const stateNumber = frame.readInt32BE(0);
  const state = PEER_STATES[stateNumber];
  if (state === undefined) return `invalid state: ${stateNumber} (expected 0 to 3)`;
  const electionEpoch = frame.readBigInt64BE(20);
  const zxid = frame.readBigInt64BE(12);
  const vote = {
    leader: Number(frame.readBigInt64BE(4)),
    zxid,
    electionEpoch,
    peerEpoch: isOldest ? zxid >> 32n : frame.readBigInt64BE(28),
  };
  if (vote.peerEpoch > BigInt(MAX_EPOCH)) {
    return `invalid epoch: ${vote.peerEpoch} (expected at most ${MAX_EPOCH})`;
  }
  if (length <= LENGTH_WITHOUT_CONFIG) return { state, vote, version: 0, config: undefined };
  const version = frame.readInt32BE(36);
  if (version < VERSION) return { state, vote, version, config: undefined };
  const configLength = length < 44 ? -1 : frame.readInt32BE(40);
  if (configLength < 0 || configLength > length - 44) {
    return `invalid length of the configuration: ${configLength} (expected at most ${Math.max(length - 44, 0)})`;
  }
  return { state, vote, version, config: frame.toString('utf8', 44, 44 + configLength) };
}
