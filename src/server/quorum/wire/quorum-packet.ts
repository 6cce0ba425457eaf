/**
 * Packets between learners and their leader (QuorumPacket), one after the other without an outer
 * length, and their data:
 *
 * ```
 *   int type | long zxid | buffer data | vector of {scheme, id} authinfo     -1 for a null one
 * ```
 *
 * They come from outside: nothing here trusts a length or a number.
 */
import { assert } from '../../../base/assert.js';
import { ByteWindow } from '../../../files/byte-window.js';
import { InputArchive } from '../../../jute/input-archive.js';
import { JuteError } from '../../../jute/jute-error.js';
import { getInt } from '../../../jute/long.js';
import { OutputArchive } from '../../../jute/output-archive.js';
import { ustring } from '../../../jute/record.js';
import type { Id } from '../../../protocol/data.js';
import { OpCode } from '../../../protocol/op-code.js';
import { DeleteRequest } from '../../../protocol/proto.js';
import { LimitError } from '../../limits/limit-error.js';
import { LIMITS } from '../../limits/limits.js';
import type { ServerState } from '../../state/server-state.js';

export const PacketType = {
  REQUEST: 1,
  PROPOSAL: 2,
  ACK: 3,
  COMMIT: 4,
  PING: 5,
  REVALIDATE: 6,
  SYNC: 7,
  INFORM: 8,
  COMMITANDACTIVATE: 9,
  NEWLEADER: 10,
  FOLLOWERINFO: 11,
  UPTODATE: 12,
  DIFF: 13,
  TRUNC: 14,
  SNAP: 15,
  OBSERVERINFO: 16,
  LEADERINFO: 17,
  ACKEPOCH: 18,
  INFORMANDACTIVATE: 19,
  /**
   * The rest is of zksh; Apache's learners log and ignore it. A handover is near: the learner
   * forwards no more requests, and answers behind those that it has forwarded (claimsData).
   */
  PREPARE_HANDOVER: 1000,
  /** See handoverData. */
  HANDOVER: 1001,
  /**
   * Only for who named it in its FOLLOWERINFO or OBSERVERINFO. The leader serves the operations of
   * ClickHouse Keeper; a byte, whether all members do. From an observer master: its observers in
   * sync, each { long sid | byte, whether it does }.
   */
  KEEPER_DIALECT: 1002,
  /** From a follower whose leader sent KEEPER_DIALECT: it wants to lead. */
  LEADERSHIP_REQUEST: 1003,
} as const;

/** Zab 1.0, in FOLLOWERINFO and LEADERINFO. */
export const LEARNER_PROTOCOL_VERSION = 0x10000;

export function packetName(type: number): string {
  const found = Object.entries(PacketType).find(([, number]) => number === type);
  return found === undefined ? `a packet of type ${type}` : found[0];
}

export interface Packet {
  readonly type: number;
  readonly zxid: bigint;
  /** A view, valid until the next packet is read. */
  readonly data: Buffer | null;
  readonly authinfo: readonly Id[] | null;
}

export function writePacket(
  out: OutputArchive,
  type: number,
  zxid: bigint,
  data: Uint8Array | null = null,
  authinfo: readonly Id[] | null = null,
): void {
  out.writeInt(type);
  out.writeLong(zxid);
  out.writeBuffer(data);
  if (authinfo === null) {
    out.writeInt(-1);
    return;
  }
  out.writeInt(authinfo.length);
  for (const { scheme, id } of authinfo) {
    out.writeString(scheme);
    out.writeString(id);
  }
}

/** For a learner that is being synced. */
export function writeCommitted(out: OutputArchive, zxid: bigint, entry: Uint8Array): void {
  writePacket(out, PacketType.PROPOSAL, zxid, entry);
  writePacket(out, PacketType.COMMIT, zxid);
}

/** Type, zxid, and the length of data. */
const FIXED_SIZE = 16;
const MAX_AUTH_IDS = LIMITS.forwardedAuthIds.value;
/** All ids of a packet together. */
const MAX_AUTH_LENGTH = LIMITS.forwardedAuthBytes.value;
/** Room for headers and digest besides the request or txn. */
const SLACK = 1024 * 1024;

/** A pull parser. For a bad length, `next` throws a JuteError or LimitError. */
export class PacketReader {
  private readonly window = new ByteWindow();
  /** In bytes, at most that of a txn; smaller until `acceptTxns`, for peers that proved nothing. */
  maxDataLength: number;
  private readonly maxTxnDataLength: number;
  private readonly input = new InputArchive(Buffer.alloc(0));

  /** @param maxTxnLength jute.maxbuffer and its extra size, in bytes */
  constructor(maxTxnLength: number) {
    this.maxTxnDataLength = maxTxnLength + SLACK;
    this.maxDataLength = this.maxTxnDataLength;
  }

  /** From now on packets may have the size of a txn. */
  acceptTxns(): void {
    assert(
      this.maxDataLength <= this.maxTxnDataLength,
      'link: packets may be longer than a txn',
      this.maxDataLength,
    );
    this.maxDataLength = this.maxTxnDataLength;
  }

  push(bytes: Buffer): void {
    this.window.push(bytes);
  }

  /** A copy of the unread bytes, which are not packets. */
  takeRest(): Buffer {
    const { window } = this;
    const rest = Buffer.from(window.bytes.subarray(window.at, window.end));
    window.at = window.end;
    return rest;
  }

  /** @throws JuteError when the bytes are not a packet */
  next(): Packet | null {
    const { window } = this;
    const end = this.packetEnd();
    if (end < 0) return null;
    assert(
      end > window.at && end <= window.end,
      'link: a packet beyond the bytes',
      end,
      window.end,
    );
    const input = this.input.reset(window.bytes, window.at, end);
    const type = input.readInt();
    const zxid = input.readLong();
    const data = input.readBuffer();
    const count = input.readInt();
    const authinfo: Id[] | null = count < 0 ? null : [];
    for (let i = 0; i < count; i++) {
      authinfo?.push({ scheme: ustring.read(input), id: ustring.read(input) });
    }
    assert(input.at === end, 'link: a packet has another length than measured', input.at, end);
    window.at = end;
    return { type, zxid, data, authinfo };
  }

  /** The end of the packet at the window's start; -1 while it is incomplete. */
  private packetEnd(): number {
    const { bytes, at, available, end } = this.window;
    if (available < FIXED_SIZE) return -1;
    const length = getInt(bytes, at + 12);
    const { maxDataLength, maxTxnDataLength } = this;
    if (length < -1) throw new JuteError(`packet data: invalid length: ${length}`);
    if (length > maxDataLength) {
      const isProven = maxDataLength === maxTxnDataLength;
      const message = `packet data: too long: ${length} bytes (expected at most ${maxDataLength})`;
      const limit = isProven ? 'peerPacketLength' : 'unprovenPacketLength';
      throw new LimitError(limit, message, maxDataLength);
    }
    let next = at + FIXED_SIZE + Math.max(length, 0);
    if (next + 4 > end) return -1;
    const count = getInt(bytes, next);
    if (count < -1) throw new JuteError(`packet ids: invalid count: ${count}`);
    if (count > MAX_AUTH_IDS) {
      const message = `packet ids: too many: ${count} (expected at most ${MAX_AUTH_IDS})`;
      throw new LimitError('forwardedAuthIds', message);
    }
    next += 4;
    let left = MAX_AUTH_LENGTH;
    for (let strings = count * 2; strings > 0; strings--) {
      if (next + 4 > end) return -1;
      const size = getInt(bytes, next);
      if (size < -1) throw new JuteError(`packet id: invalid length: ${size}`);
      if (size > left) {
        const message = `packet ids: too long: ${size} more bytes (expected at most ${MAX_AUTH_LENGTH} in all)`;
        throw new LimitError('forwardedAuthBytes', message);
      }
      left -= Math.max(size, 0);
      next += 4 + Math.max(size, 0);
      if (next > end) return -1;
    }
    return next;
  }
}

/** The data of packets. The readers return undefined for damaged data. */
export const NO_DATA = Buffer.alloc(0);

export interface LearnerInfo {
  readonly sid: number;
  readonly configVersion: bigint;
  /** It serves the operations of ClickHouse Keeper. */
  readonly isOfKeeper: boolean;
}

/**
 * FOLLOWERINFO, OBSERVERINFO: long sid | int protocolVersion | long configVersion, and from who
 * takes KEEPER_DIALECT, int KEEPER_DIALECT. Apache's leader reads no more than the first three.
 */
export function readLearnerInfo(data: Buffer | null): LearnerInfo | undefined {
  if (data === null || data.length < 20) return undefined;
  const sid = data.readBigInt64BE(0);
  // -1 marks a link that has not sent its id.
  if (sid < 0n || sid > 0x7fff_ffffn) return undefined;
  const isOfKeeper = data.length >= 24 && data.readInt32BE(20) === PacketType.KEEPER_DIALECT;
  return { sid: Number(sid), configVersion: data.readBigInt64BE(12), isOfKeeper };
}

export function learnerInfo({ sid, configVersion, isOfKeeper }: LearnerInfo): Buffer {
  assert(sid >= 0, 'link: a learner without a sid', sid);
  const data = Buffer.alloc(isOfKeeper ? 24 : 20);
  data.writeBigInt64BE(BigInt(sid), 0);
  data.writeInt32BE(LEARNER_PROTOCOL_VERSION, 8);
  data.writeBigInt64BE(configVersion, 12);
  if (isOfKeeper) data.writeInt32BE(PacketType.KEEPER_DIALECT, 20);
  return data;
}

export interface RequestData {
  readonly sessionId: bigint;
  readonly cxid: number;
  readonly type: number;
  readonly input: InputArchive;
}

/** REQUEST: long sessionId | int cxid | int type | body */
export function readRequest(data: Buffer | null): RequestData | undefined {
  if (data === null || data.length < 16) return undefined;
  const input = new InputArchive(data);
  return { sessionId: input.readLong(), cxid: input.readInt(), type: input.readInt(), input };
}

/** Every leader answers with an error txn of this session and cxid: it deletes "/". */
export function failingRequest(sessionId: bigint, cxid: number): Buffer {
  const out = new OutputArchive();
  out.writeLong(sessionId);
  out.writeInt(cxid);
  out.writeInt(OpCode.delete);
  out.writeBytes(DeleteRequest.encode({ path: '/', version: -1 }));
  return out.take();
}

/** REVALIDATE: long sessionId | int timeout */
export function readRevalidation(
  data: Buffer | null,
): { readonly sessionId: bigint; readonly timeoutMs: number } | undefined {
  if (data === null || data.length < 12) return undefined;
  return { sessionId: data.readBigInt64BE(0), timeoutMs: data.readInt32BE(8) };
}

/** The answer to PING: { long sessionId | int timeout } … of the sessions active on a learner. */
export function touchSessions(state: ServerState, data: Buffer | null): void {
  if (data === null) return;
  for (let at = 0; at + 12 <= data.length; at += 12) {
    const session = state.sessions.get(data.readBigInt64BE(at));
    if (session !== undefined) state.sessions.touch(session, state.monotonicMs);
  }
}
