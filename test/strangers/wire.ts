import { connect, type Socket } from 'node:net';
import { ByteBuilder } from '../support/bytes/byte-builder.js';

/** A connection of a stranger, not of a member. */
export class Stranger {
  readonly port: number;
  readonly socket: Socket;
  received = Buffer.alloc(0);
  isClosed = false;

  /** @param isReading if false, all responses stay in the socket */
  constructor(port: number, isReading = true) {
    this.port = port;
    this.socket = connect(port, '127.0.0.1');
    if (isReading) {
      this.socket.on('data', (bytes) => {
        this.received = Buffer.concat([this.received, bytes]).subarray(-MAX_KEPT);
      });
    }
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => {
      this.isClosed = true;
    });
  }

  send(...parts: readonly Buffer[]): this {
    if (!this.socket.destroyed) this.socket.write(Buffer.concat(parts));
    return this;
  }

  close(): void {
    this.socket.destroy();
  }
}

const MAX_KEPT = 1 << 20;

export const LOOKING = 0;
export const FOLLOWING = 1;
export const LEADING = 2;

export interface ForgedVote {
  readonly state?: number;
  readonly leader: number | bigint;
  readonly zxid?: bigint;
  readonly round?: bigint;
  readonly epoch?: bigint;
}

/** The first message of a server on an election connection. */
export function preamble(sid: number | bigint, address = '127.0.0.1:1'): Buffer {
  return new ByteBuilder().long(-65536n).long(BigInt(sid)).string(address).build();
}

export function vote({ state = LOOKING, leader, zxid, round, epoch }: ForgedVote): Buffer {
  const frame = new ByteBuilder()
    .int(state)
    .long(BigInt(leader))
    .long(zxid ?? 0n)
    .long(round ?? 1n)
    .long(epoch ?? 0n)
    .int(0)
    .build();
  return new ByteBuilder().buffer(frame).build();
}

export const REQUEST = 1;
export const PROPOSAL = 2;
export const ACK = 3;
export const PING = 5;
export const REVALIDATE = 6;
export const FOLLOWERINFO = 11;
export const OBSERVERINFO = 16;
export const ACKEPOCH = 18;

export type AuthInfo = readonly { readonly scheme: string; readonly id: string }[];

export function packet(
  type: number,
  zxid: bigint,
  data: Buffer | null = null,
  auth: AuthInfo | null = null,
): Buffer {
  const bytes = new ByteBuilder().int(type).long(zxid).buffer(data);
  if (auth === null) return bytes.int(-1).build();
  return bytes.vector(auth, (to, { scheme, id }) => to.string(scheme).string(id)).build();
}

/** FOLLOWERINFO and OBSERVERINFO. */
export function learnerInfo(type: number, sid: number | bigint, epoch: bigint): Buffer {
  const info = new ByteBuilder().long(BigInt(sid)).int(0x10000).long(0n).build();
  return packet(type, epoch << 32n, info);
}

export function revalidate(sessionId: bigint): Buffer {
  return packet(REVALIDATE, -1n, new ByteBuilder().long(sessionId).int(30_000).build());
}

/** A client's request as its server forwards it to the leader. */
export function request(
  sessionId: bigint,
  type: number,
  body: Buffer,
  auth: AuthInfo | null,
): Buffer {
  const data = new ByteBuilder().long(sessionId).int(77).int(type).bytes(body).build();
  return packet(REQUEST, -1n, data, auth);
}

/** The first frame of a client. */
export function clientHello(
  sessionId: bigint,
  timeoutMs: number,
  lastZxid: bigint,
  password: Buffer = Buffer.alloc(16),
): Buffer {
  const frame = new ByteBuilder()
    .int(0)
    .long(lastZxid)
    .int(timeoutMs)
    .long(sessionId)
    .buffer(password)
    .bool(false)
    .build();
  return new ByteBuilder().buffer(frame).build();
}
