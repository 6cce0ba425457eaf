/**
 * The packets in which a server proves to another who it is (QuorumAuth), before its first packet
 * of the learner protocol, and behind the preamble of an election connection:
 *
 * ```
 *   long magic | int status | buffer token     -1 for a null one
 * ```
 *
 * No packet and no frame begins with the magic number, which would be a type that there is not, or
 * far too long: so it tells a server that authenticates from one that does not.
 */
import { JuteError } from '../../../jute/jute-error.js';
import { LimitError } from '../../limits/limit-error.js';
import { LIMITS } from '../../limits/limits.js';

/** Apache's -0xa0dbcafecafe1234L, which is too large for a long, and so becomes this one. */
export const AUTH_MAGIC = 0x5f24_3501_3501_edccn;

/** What both sides agree on; clients have names of their own. */
export const QUORUM_NAMES = {
  realm: 'zk-quorum-sasl-md5',
  uri: 'zookeeper-quorum/zk-quorum-sasl-md5',
};

export const AuthStatus = { IN_PROGRESS: 0, SUCCESS: 1, ERROR: -1 } as const;

export interface AuthPacket {
  readonly status: number;
  readonly token: Buffer;
}

const FIXED_SIZE = 16;
const MAX_TOKEN_LENGTH = LIMITS.peerAuthTokenLength.value;

export function encodeAuthPacket({ status, token }: AuthPacket): Buffer {
  const bytes = Buffer.alloc(FIXED_SIZE + token.length);
  bytes.writeBigInt64BE(AUTH_MAGIC, 0);
  bytes.writeInt32BE(status, 8);
  bytes.writeInt32BE(token.length, 12);
  token.copy(bytes, FIXED_SIZE);
  return bytes;
}

/** Does it begin an exchange? Undefined while there are too few bytes to tell. */
export function isAuth(bytes: Buffer): boolean | undefined {
  return bytes.length < 8 ? undefined : bytes.readBigInt64BE(0) === AUTH_MAGIC;
}

/**
 * The packet at the beginning, and how long it is; null while it is not all there.
 * @throws JuteError for any other bytes, LimitError for a token that is too long
 */
export function readAuthPacket(
  bytes: Buffer,
): { readonly packet: AuthPacket; readonly length: number } | null {
  if (isAuth(bytes) === false) throw new JuteError('expected a packet of an authentication');
  if (bytes.length < FIXED_SIZE) return null;
  const tokenLength = Math.max(bytes.readInt32BE(12), 0);
  if (tokenLength > MAX_TOKEN_LENGTH) {
    const message = `expected a token of at most ${MAX_TOKEN_LENGTH} bytes, found ${tokenLength}`;
    throw new LimitError('peerAuthTokenLength', message);
  }
  const length = FIXED_SIZE + tokenLength;
  if (bytes.length < length) return null;
  const token = Buffer.from(bytes.subarray(FIXED_SIZE, length));
  return { packet: { status: bytes.readInt32BE(8), token }, length };
}
