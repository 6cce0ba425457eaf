import { OutputArchive } from '../../../src/jute/output-archive.js';
import { OpCode, Xid } from '../../../src/protocol/op-code.js';
import { AuthPacket } from '../../../src/protocol/proto.js';

/** A request with its length. */
export function requestFrame(xid: number, type: number, body: Buffer): Buffer {
  const out = new OutputArchive();
  out.writeInt(xid);
  out.writeInt(type);
  out.writeBytes(body);
  return frameOf(out.take());
}

export function frameOf(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** @param userAndPassword of a digest identity */
export function authFrame(userAndPassword: string): Buffer {
  const packet = { type: 0, scheme: 'digest', auth: Buffer.from(userAndPassword) };
  return requestFrame(Xid.auth, OpCode.auth, AuthPacket.encode(packet));
}
