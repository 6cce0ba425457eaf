/**
 * The packets by which a server authenticates to another (QuorumAuth): before the first packet of
 * the learner protocol, and after the preamble of an election connection:
 *
 * ```
 *   long magic | int status | buffer token     -1 for a null one
 * ```
 *
 * No packet or frame starts with the magic number: as a type it is unknown, as a length too large.
 * So it shows whether a server authenticates.
 */
import { JuteError } from '../../../jute/jute-error.js';
import { LimitError } from '../../limits/limit-error.js';
import { LIMITS } from '../../limits/limits.js';

/** Apache's -0xa0dbcafecafe1234L overflows a long and becomes this value. */
export const AUTH_MAGIC = 0x5f24_3501_3501_edccn;

/** Clients use other names. */
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

/** Undefined while there are too few bytes. */
export function isAuth(bytes: Buffer): boolean | undefined {
  return bytes.length < 8 ? undefined : bytes.readBigInt64BE(0) === AUTH_MAGIC;
}

/** Null while it is incomplete. @throws JuteError for other bytes, LimitError for a long token */
export function readAuthPacket(
  bytes: Buffer,
): { readonly packet: AuthPacket; readonly length: number } | null {
  if (isAuth(bytes) === false) throw new JuteError('not an authentication packet');
  if (bytes.length < FIXED_SIZE) return null;
  const tokenLength = Math.max(bytes.readInt32BE(12), 0);
  if (tokenLength > MAX_TOKEN_LENGTH) {
    const message = `token: too long: ${tokenLength} bytes (expected at most ${MAX_TOKEN_LENGTH})`;
    throw new LimitError('peerAuthTokenLength', message);
  }
  const length = FIXED_SIZE + tokenLength;
  if (bytes.length < length) return null;
  const token = Buffer.from(bytes.subarray(FIXED_SIZE, length));
  return { packet: { status: bytes.readInt32BE(8), token }, length };
}
