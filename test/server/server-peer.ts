import { FrameDecoder } from '../../src/jute/frame-decoder.js';
import { InputArchive } from '../../src/jute/input-archive.js';
import { OutputArchive } from '../../src/jute/output-archive.js';
import { errorName } from '../../src/protocol/error-code.js';
import { OpCode, opCodeName, Xid } from '../../src/protocol/op-code.js';
import { OPERATION_TABLE } from '../../src/protocol/operation-table.js';
import { OPEN_ACL_UNSAFE } from '../../src/protocol/perms.js';
import { eventTypeName } from '../../src/protocol/watch-event.js';
import { ReplyHeader, WatcherEvent } from '../support/bytes/jute-records.js';

/** The parts of its world that a peer needs. */
export interface PeerWorld {
  readonly server: {
    step(
      event:
        | { readonly kind: 'received'; readonly connection: number; readonly bytes: Buffer }
        | { readonly kind: 'disconnected'; readonly connection: number },
    ): void;
  };
  drain(): unknown;
}

/** The client side of a connection to a stepped server. */
export class Peer {
  readonly id: number;
  isClosed = false;
  isPaused = false;
  /** True while the server pauses reads until the client has read everything. */
  isAwaited = false;
  /** All bytes received. */
  bytes = Buffer.alloc(0);
  /** The number of writes that carried them. */
  writes = 0;
  /** The body of the connect response. */
  session: Buffer | undefined;
  private readonly world: PeerWorld;
  private readonly sent: { readonly xid: number; readonly type: number }[] = [];
  private lines: string[] = [];
  private lastXid = 0;
  private readonly decoder = new FrameDecoder(1 << 24, (bytes, start, end) =>
    this.onFrame(Buffer.from(bytes.subarray(start, end))),
  );

  constructor(world: PeerWorld, id: number) {
    this.world = world;
    this.id = id;
  }

  /** Sends bytes without draining the effects. */
  step(bytes: Buffer): void {
    this.world.server.step({ kind: 'received', connection: this.id, bytes });
  }

  /** Sends bytes and drain. */
  push(bytes: Buffer): void {
    this.step(bytes);
    this.world.drain();
  }

  leave(): void {
    this.isClosed = true;
    this.world.server.step({ kind: 'disconnected', connection: this.id });
    this.world.drain();
  }

  /** The frame of a request, recorded so that its reply can be decoded. */
  request(type: number, value: unknown = {}, xid = ++this.lastXid): Buffer {
    this.sent.push({ xid, type });
    return requestFrame(xid, type, OPERATION_TABLE.get(type)?.request?.encode(value));
  }

  /** A request without a record, or with a record given as bytes. */
  bare(type: number, body?: Buffer): Buffer {
    const xid = ++this.lastXid;
    this.sent.push({ xid, type });
    return requestFrame(xid, type, body);
  }

  ping(): Buffer {
    return this.request(OpCode.ping, {}, Xid.ping);
  }

  create(path: string, flags = 0): Buffer {
    return this.request(OpCode.create, { path, data: null, acl: OPEN_ACL_UNSAFE, flags });
  }

  setData(path: string, version = -1): Buffer {
    return this.request(OpCode.setData, { path, data: Buffer.from('x'), version });
  }

  getData(path: string, watch = false): Buffer {
    return this.request(OpCode.getData, { path, watch });
  }

  exists(path: string, watch = false): Buffer {
    return this.request(OpCode.exists, { path, watch });
  }

  /** Events decoded since the last call: "create ok", "event NodeCreated /a". */
  take(): string[] {
    const { lines } = this;
    this.lines = [];
    return lines;
  }

  get sessionId(): bigint {
    return this.session?.readBigInt64BE(8) ?? 0n;
  }

  get password(): Buffer {
    return this.session?.subarray(20, 36) ?? Buffer.alloc(16);
  }

  get timeoutMs(): number {
    return this.session?.readInt32BE(4) ?? 0;
  }

  received(bytes: Buffer): void {
    this.writes++;
    this.bytes = Buffer.concat([this.bytes, bytes]);
    // Text is the response to a word: no frame starts with letters.
    if (this.session !== undefined || bytes.readInt32BE(0) < 100) this.decoder.push(bytes);
  }

  wasClosed(): void {
    this.isClosed = true;
    this.lines.push('closed');
  }

  wasHeld(isPaused: boolean): void {
    this.isPaused = isPaused;
  }

  wasAwaited(): void {
    this.isAwaited = true;
  }

  private onFrame(frame: Buffer): void {
    if (this.session === undefined) {
      this.session = frame;
      this.lines.push(this.sessionId === 0n ? 'expired' : 'connected');
      return;
    }
    const input = new InputArchive(frame);
    const { xid, zxid, err } = ReplyHeader.read(input);
    if (xid === Xid.notification) {
      const { type, path } = WatcherEvent.read(input);
      this.lines.push(`event ${eventTypeName(type)} ${path} at ${zxid}`);
      return;
    }
    const sent = this.sent.shift();
    if (sent?.xid !== xid) throw new Error(`expected a reply to ${sent?.xid}, found ${xid}`);
    this.lines.push(`${opCodeName(sent.type)} ${err === 0 ? 'ok' : errorName(err)}`);
  }
}

export interface HandshakeOptions {
  readonly timeoutMs?: number;
  readonly sessionId?: bigint;
  readonly password?: Buffer;
  readonly lastZxidSeen?: bigint;
  readonly hasReadOnlyByte?: boolean;
  /** A read-only client. */
  readonly readOnly?: boolean;
}

/** The frame of a connect request. */
export function handshake(options: HandshakeOptions = {}): Buffer {
  const out = new OutputArchive();
  out.writeInt(0);
  out.writeLong(options.lastZxidSeen ?? 0n);
  out.writeInt(options.timeoutMs ?? 5000);
  out.writeLong(options.sessionId ?? 0n);
  out.writeBuffer(options.password ?? Buffer.alloc(16));
  if (options.hasReadOnlyByte !== false) out.writeBool(options.readOnly ?? false);
  return framed(out.take());
}

export function requestFrame(xid: number, type: number, body?: Buffer): Buffer {
  const out = new OutputArchive();
  out.writeInt(xid);
  out.writeInt(type);
  if (body !== undefined) out.writeBytes(body);
  return framed(out.take());
}

export function framed(body: Buffer): Buffer {
  const out = new OutputArchive();
  out.writeBuffer(body);
  return out.take();
}
