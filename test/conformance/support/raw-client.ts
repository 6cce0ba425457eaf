import { connect, type Socket } from 'node:net';
import { FrameDecoder } from '../../../src/jute/frame-decoder.js';
import { InputArchive } from '../../../src/jute/input-archive.js';
import { OutputArchive } from '../../../src/jute/output-archive.js';
import { OpCode, Xid } from '../../../src/protocol/op-code.js';
import { OPERATION_TABLE } from '../../../src/protocol/operation-table.js';
import {
  ConnectResponse,
  REPLIES,
  ReplyHeader,
  WatcherEvent,
} from '../../support/bytes/jute-records.js';

export interface RawSession {
  readonly id: bigint;
  readonly password: Buffer;
  /** As negotiated. 0 means that the server does not know the session. */
  readonly timeoutMs: number;
}

export interface Reply {
  readonly kind: 'reply';
  readonly xid: number;
  readonly zxid: bigint;
  readonly err: number;
  readonly body: Buffer;
}

export interface WatchArrival {
  readonly kind: 'event';
  readonly zxid: bigint;
  readonly type: number;
  readonly state: number;
  readonly path: string;
}

export type Arrival = Reply | WatchArrival | { readonly kind: 'closed' };

export interface RawOptions {
  /** The session to reconnect to. Default: a new one. */
  readonly session?: RawSession;
  readonly timeoutMs?: number;
  readonly lastZxidSeen?: bigint;
  /** False for the handshake of 3.3 clients. */
  readonly hasReadOnlyByte?: boolean;
}

/** It sends no pings, and a slow disk makes a long test. */
const LONG_MS = 120_000;
const NEW_SESSION: RawSession = { id: 0n, password: Buffer.alloc(16), timeoutMs: 0 };
/** A shorter response grants no session. */
const MIN_WELCOME = 36;
const MAX_FRAME = 64 * 1024 * 1024;

/**
 * A client that works with frames only. It sends any bytes as any operation, and keeps replies and
 * watch events in order of arrival. It sends no pings by itself.
 */
export class RawClient {
  /** Replies and events since the handshake that were not taken yet. */
  arrivals: Arrival[] = [];
  /** The server's response to the connect request, or undefined if it closed without one. */
  session: RawSession | undefined;
  /** The raw connect response. */
  handshake: Buffer | undefined;
  isClosed = false;
  readonly closed: Promise<void>;
  readonly port: number;
  private readonly socket: Socket;
  private readonly waiting: ((reply: Reply | undefined) => void)[] = [];
  private lastXid = 0;
  private readonly opened: Promise<void>;
  private onOpened: () => void = () => undefined;

  private constructor(port: number) {
    this.port = port;
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.opened = new Promise((resolve) => {
      this.onOpened = resolve;
    });
    const decoder = new FrameDecoder(MAX_FRAME, (bytes, start, end) =>
      this.onFrame(Buffer.from(bytes.subarray(start, end))),
    );
    this.socket.on('data', (chunk) => decoder.push(chunk));
    // 'close' follows and reports it.
    this.socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      this.socket.once('close', () => {
        this.isClosed = true;
        this.arrivals.push({ kind: 'closed' });
        for (const tell of this.waiting.splice(0)) tell(undefined);
        this.onOpened();
        resolve();
      });
    });
  }

  /** Opens a session, or reconnects to one. Also resolves if the server refuses it. */
  static async connect(port: number, options: RawOptions = {}): Promise<RawClient> {
    const client = new RawClient(port);
    client.writeFrame(connectFrame(options));
    await client.opened;
    return client;
  }

  /** A connection on which nothing was sent yet. */
  static open(port: number): RawClient {
    return new RawClient(port);
  }

  /** The session of a client, which must have one. */
  get live(): RawSession {
    const { session } = this;
    if (session === undefined || session.id === 0n) throw new Error('the server gave no session');
    return session;
  }

  writeBytes(bytes: Buffer): void {
    this.socket.write(bytes);
  }

  writeFrame(frame: Buffer): void {
    const out = new OutputArchive(frame.length + 4);
    out.writeBuffer(frame);
    this.socket.write(out.take());
  }

  /** Sends a request. Resolves with its reply, or undefined if the connection closed first. */
  request(type: number, body: Buffer = NOTHING, xid = ++this.lastXid): Promise<Reply | undefined> {
    if (this.isClosed) return Promise.resolve(undefined);
    const out = new OutputArchive(body.length + 8);
    out.writeInt(xid);
    out.writeInt(type);
    out.writeBytes(body);
    this.writeFrame(out.take());
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** Sends the record of an operation and decodes its reply. `err` is 0 or the error code. */
  async call(type: number, value: unknown): Promise<{ err: number; zxid: bigint; value: unknown }> {
    const record = OPERATION_TABLE.get(type)?.request;
    if (record === undefined) throw new Error(`operation ${type} has no plain record`);
    const reply = await this.request(type, record.encode(value));
    if (reply === undefined) throw new Error('the connection closed before the reply');
    const decoded = reply.err === 0 ? REPLIES.get(type)?.decode(reply.body) : undefined;
    return { err: reply.err, zxid: reply.zxid, value: decoded };
  }

  ping(): Promise<Reply | undefined> {
    return this.request(OpCode.ping, NOTHING, Xid.ping);
  }

  /** Replies and events since the last call. */
  take(): Arrival[] {
    const { arrivals } = this;
    this.arrivals = [];
    return arrivals;
  }

  /** Closes the session. */
  async close(): Promise<void> {
    await this.request(OpCode.closeSession);
    this.socket.end();
    await this.closed;
  }

  /** Drops the connection. The session stays until it expires. */
  async drop(): Promise<void> {
    this.socket.destroy();
    await this.closed;
  }

  private onFrame(frame: Buffer): void {
    const input = new InputArchive(frame);
    if (this.handshake === undefined) {
      this.handshake = frame;
      if (frame.length < MIN_WELCOME) {
        this.onOpened();
        return;
      }
      // A server answers in the length of the request, so pad the readOnly byte of an old one.
      const padded = Buffer.concat([frame, Buffer.alloc(1)]);
      const { sessionId, passwd, timeOut } = ConnectResponse.decode(padded);
      this.session = { id: sessionId, password: passwd ?? NOTHING, timeoutMs: timeOut };
      this.onOpened();
      return;
    }
    const { xid, zxid, err } = ReplyHeader.read(input);
    if (xid === Xid.notification) {
      this.arrivals.push({ kind: 'event', zxid, ...WatcherEvent.read(input) });
      return;
    }
    const reply: Reply = { kind: 'reply', xid, zxid, err, body: frame.subarray(input.at) };
    this.arrivals.push(reply);
    this.waiting.shift()?.(reply);
  }
}

const NOTHING = Buffer.alloc(0);

/** The body of a connect request. */
export function connectFrame(options: RawOptions = {}): Buffer {
  const { session = NEW_SESSION, timeoutMs = LONG_MS, lastZxidSeen = 0n } = options;
  const out = new OutputArchive();
  out.writeInt(0);
  out.writeLong(lastZxidSeen);
  out.writeInt(timeoutMs);
  out.writeLong(session.id);
  out.writeBuffer(session.password);
  if (options.hasReadOnlyByte !== false) out.writeBool(false);
  return out.take();
}
