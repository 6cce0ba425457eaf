/** The data of a learner's packets. The readers return undefined for damaged data. */
import { InputArchive } from '../../../jute/input-archive.js';
import { OutputArchive } from '../../../jute/output-archive.js';
import { OpCode } from '../../../protocol/op-code.js';
import { DeleteRequest } from '../../../protocol/proto.js';
import type { ServerState } from '../../state/server-state.js';
import type { PeerHost } from '../peer/role.js';
import { LEARNER_PROTOCOL_VERSION } from './quorum-packet.js';

export const NO_DATA = Buffer.alloc(0);

export interface LearnerInfo {
  readonly sid: number;
  readonly configVersion: bigint;
}

/** FOLLOWERINFO, OBSERVERINFO: long sid | int protocolVersion | long configVersion */
export function readLearnerInfo(data: Buffer | null): LearnerInfo | undefined {
  if (data === null || data.length < 20) return undefined;
  const sid = data.readBigInt64BE(0);
  // -1 marks a link that has not sent its id.
  if (sid < 0n || sid > 0x7fff_ffffn) return undefined;
  return { sid: Number(sid), configVersion: data.readBigInt64BE(12) };
}

export function learnerInfo({ sid, membership }: PeerHost): Buffer {
  const data = Buffer.alloc(20);
  data.writeBigInt64BE(BigInt(sid), 0);
  data.writeInt32BE(LEARNER_PROTOCOL_VERSION, 8);
  data.writeBigInt64BE(membership.config.version, 12);
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
