/** The one message of election connections (FastLeaderElection.buildMsg), without its length. */
import { MAX_EPOCH } from '../../../protocol/zxid.js';
import { PEER_STATES, type PeerState, type Vote } from './vote.js';

const VERSION = 2;
/** Of servers before 3.4: no epoch of the one voted for. */
const LENGTH_WITHOUT_EPOCH = 28;
/** Of servers before 3.5: no configuration, and what stands in the version's place is not one. */
const LENGTH_WITHOUT_CONFIG = 40;

export interface Notification {
  /** What the sender is. */
  readonly state: PeerState;
  readonly vote: Vote;
  /** 0 for the older forms. */
  readonly version: number;
  /** The text of the sender's configuration; undefined in the older forms. */
  readonly config: string | undefined;
}

export function encodeNotification({ state, vote, config }: Notification): Buffer {
  const text = Buffer.from(config ?? '');
  const frame = Buffer.alloc(44 + text.length);
  frame.writeInt32BE(PEER_STATES.indexOf(state), 0);
  frame.writeBigInt64BE(BigInt(vote.leader), 4);
  frame.writeBigInt64BE(vote.zxid, 12);
  frame.writeBigInt64BE(vote.electionEpoch, 20);
  frame.writeBigInt64BE(vote.peerEpoch, 28);
  frame.writeInt32BE(VERSION, 36);
  frame.writeInt32BE(text.length, 40);
  text.copy(frame, 44);
  return frame;
}

/** A round before all: a vote in it is for nobody, and every server answers it. */
export const PROBE_ROUND = -(2n ** 63n);

/** Asks another server whether it lives; without a version, so that it carries no configuration. */
export function encodeProbe(sid: number): Buffer {
  const vote = { leader: sid, zxid: 0n, electionEpoch: PROBE_ROUND, peerEpoch: 0n };
  const whole = encodeNotification({ state: 'looking', vote, version: 0, config: undefined });
  return whole.subarray(0, LENGTH_WITHOUT_CONFIG);
}

/** A string says what is wrong with the frame. */
export function decodeNotification(frame: Buffer): Notification | string {
  const { length } = frame;
  if (length < LENGTH_WITHOUT_EPOCH) {
    return `expected a notification of ${LENGTH_WITHOUT_EPOCH} bytes at least, found ${length}`;
  }
  const isOldest = length === LENGTH_WITHOUT_EPOCH;
  if (!isOldest && length < LENGTH_WITHOUT_CONFIG) {
    return `expected a notification of ${LENGTH_WITHOUT_CONFIG} bytes at least, found ${length}`;
  }
  const stateNumber = frame.readInt32BE(0);
  const state = PEER_STATES[stateNumber];
  if (state === undefined) return `expected a state from 0 to 3, found ${stateNumber}`;
  const electionEpoch = frame.readBigInt64BE(20);
  const zxid = frame.readBigInt64BE(12);
  const vote = {
    leader: Number(frame.readBigInt64BE(4)),
    zxid,
    electionEpoch,
    peerEpoch: isOldest ? zxid >> 32n : frame.readBigInt64BE(28),
  };
  if (vote.peerEpoch > BigInt(MAX_EPOCH)) {
    return `expected an epoch of at most ${MAX_EPOCH}, found ${vote.peerEpoch}`;
  }
  if (length <= LENGTH_WITHOUT_CONFIG) return { state, vote, version: 0, config: undefined };
  const version = frame.readInt32BE(36);
  if (version < VERSION) return { state, vote, version, config: undefined };
  const configLength = length < 44 ? -1 : frame.readInt32BE(40);
  if (configLength < 0 || configLength > length - 44) {
    return `expected a configuration in the ${length - 40} bytes behind the version, found none that fits`;
  }
  return { state, vote, version, config: frame.toString('utf8', 44, 44 + configLength) };
}
