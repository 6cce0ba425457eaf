import { connect, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { FrameDecoder } from '../src/jute/frame-decoder.js';
import { OutputArchive } from '../src/jute/output-archive.js';
import { OpCode } from '../src/protocol/op-code.js';
import { ConnectRequest } from '../test/support/bytes/jute-records.js';
import { writeRead } from './load-requests.js';

const MAX_REPLY = 64 * 1024 * 1024;
/** Idle sessions live while a slow server gets as many. */
const SESSION_TIMEOUT_MS = 600_000;

/** One session. Replies arrive in order, so a reply belongs to the oldest request. */
export class LoadConnection {
  onReply: (latencyMs: number, err: number) => void = () => undefined;
  private readonly socket: Socket;
  private readonly out = new OutputArchive(256);
  private sentAt: number[] = [];
  private head = 0;
  private xid = 0;
  private isFlushing = false;
  private isClosed = false;
  private onLost: (error: Error) => void = () => undefined;
  readonly closed: Promise<void>;

  private constructor(socket: Socket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    const decoder = new FrameDecoder(MAX_REPLY, (bytes, start) => {
      const now = performance.now();
      const sentAt = this.sentAt[this.head++] ?? now;
      if (this.head > 4096) {
        this.sentAt = this.sentAt.slice(this.head);
        this.head = 0;
      }
      this.onReply(now - sentAt, bytes.readInt32BE(start + 12));
    });
    socket.on('data', (chunk) => decoder.push(chunk));
    socket.once('close', () => this.onLost(new Error('closed by the server')));
  }

  /** @param tls the port is one for TLS; default: it is not */
  static open(port: number, tls?: ConnectionOptions): Promise<LoadConnection> {
    return new Promise((resolve, reject) => {
      const place = { port, host: '127.0.0.1' };
      const socket =
        tls === undefined ? connect({ ...place, noDelay: true }) : connectTls({ ...place, ...tls });
      socket.once('error', reject).once('close', () => reject(new Error('closed by the server')));
      socket.once(tls === undefined ? 'connect' : 'secureConnect', () => {
        const request = ConnectRequest.encode({
          protocolVersion: 0,
          lastZxidSeen: 0n,
          timeOut: SESSION_TIMEOUT_MS,
          sessionId: 0n,
          passwd: Buffer.alloc(16),
          readOnly: false,
        });
        const length = Buffer.alloc(4);
        length.writeInt32BE(request.length);
        socket.write(Buffer.concat([length, request]));
      });
      socket.once('data', () => {
        socket.off('error', reject);
        socket.on('error', () => undefined);
        resolve(new LoadConnection(socket));
      });
    });
  }

  /** Queues the request; it is sent with all others of this turn. */
  send(write: (out: OutputArchive) => void): void {
    const start = this.out.skip(4);
    this.out.writeInt(++this.xid);
    write(this.out);
    this.out.patchInt(start, this.out.length - start - 4);
    this.sentAt.push(performance.now());
    if (this.isFlushing) return;
    this.isFlushing = true;
    setImmediate(() => {
      this.isFlushing = false;
      if (!this.isClosed) this.socket.write(this.out.take());
    });
  }

  /** Resolves after `count` more replies; rejects when the connection ends before. */
  flushed(count: number): Promise<void> {
    let left = count;
    return new Promise((resolve, reject) => {
      if (this.socket.destroyed) reject(new Error('closed by the server'));
      this.onLost = reject;
      this.onReply = () => {
        if (--left === 0) resolve();
      };
    });
  }

  /** Sets a watch on each path by getData or exists; resolves when all are set. */
  async watch(paths: readonly string[], code: number = OpCode.getData): Promise<void> {
    const armed = this.flushed(paths.length);
    for (const path of paths) this.send((out) => writeRead(out, path, true, code));
    await armed;
  }

  /** Reads a znode; returns the time in ms. */
  async read(path: string): Promise<number> {
    const startedAt = performance.now();
    const answered = this.flushed(1);
    this.send((out) => writeRead(out, path, false));
    await answered;
    return performance.now() - startedAt;
  }

  async set(path: string): Promise<void> {
    const answered = this.flushed(1);
    this.send((out) => {
      out.writeInt(OpCode.setData);
      out.writeString(path);
      out.writeBuffer(Buffer.from('changed'));
      out.writeInt(-1);
    });
    await answered;
  }

  /** Drops the connection without closing the session. */
  destroy(): void {
    this.socket.destroy();
  }

  /** Closes the session, or only the connection if the server does not answer in time. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.socket.destroy(), 5000);
      this.socket.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
      this.onReply = () => undefined;
      this.send((out) => out.writeInt(OpCode.closeSession));
      setImmediate(() => {
        this.isClosed = true;
      });
    });
  }
}
