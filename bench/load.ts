/**
 * Puts a load on a server over raw sockets. It encodes requests once, and only counts and times
 * replies, so that a generator on one core keeps a fast server busy. Every connection keeps
 * `inFlight` requests in flight: each reply leads to a new request at the end of the turn.
 */
import { connect, type Socket } from 'node:net';
import { FrameDecoder } from '../src/jute/frame-decoder.js';
import { OutputArchive } from '../src/jute/output-archive.js';
import { OpCode } from '../src/protocol/op-code.js';
import { OPEN_ACL_UNSAFE } from '../src/protocol/perms.js';
import { ConnectRequest, CreateRequest } from '../src/protocol/proto.js';

export type LoadOp = 'get' | 'exists' | 'getChildren' | 'set' | 'create';

export interface LoadOptions {
  /** One server or several; the connections are distributed round robin. */
  readonly port: number | readonly number[];
  readonly op: LoadOp;
  readonly connections: number;
  readonly inFlight: number;
  /** All requests without the warm-up. */
  readonly count: number;
  readonly warmUp: number;
  /** Bytes of data of set and create. */
  readonly size: number;
  /** The maximum time of the run. */
  readonly maxSeconds: number;
  /** The parent for creates; a new one for each run. */
  readonly parent: string;
}

export interface LoadResult {
  readonly opsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly done: number;
  readonly errors: number;
}

const MAX_REPLY = 64 * 1024 * 1024;

/** Creates the parent, and the znode for reads and sets. */
export async function prepareLoad(port: number, parent: string, size: number): Promise<void> {
  const [client, data] = [await LoadConnection.open(port), Buffer.alloc(size, 0x78)];
  for (const path of [parent, `${parent}/node`]) client.send((out) => writeCreate(out, path, data));
  await client.flushed(2);
  await client.close();
}

export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const ports = [options.port].flat();
  const clients = await Promise.all(
    Array.from({ length: options.connections }, (_, i) =>
      LoadConnection.open(ports[i % ports.length] ?? 0),
    ),
  );
  const run = new LoadRun(options, clients);
  try {
    return await run.finished();
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
}

class LoadRun {
  private readonly options: LoadOptions;
  private readonly write: (out: OutputArchive) => void;
  private readonly latencies: Float64Array;
  private readonly clients: readonly LoadConnection[];
  private sent = 0;
  private received = 0;
  private errors = 0;
  private startedAt = 0;
  private endedAt = 0;
  private isOver = false;
  private nextName = 0;

  constructor(options: LoadOptions, clients: readonly LoadConnection[]) {
    this.options = options;
    this.clients = clients;
    this.latencies = new Float64Array(options.count);
    this.write = this.writer();
  }

  finished(): Promise<LoadResult> {
    const { inFlight, maxSeconds } = this.options;
    return new Promise((resolve) => {
      const end = (): void => {
        if (this.isOver) return;
        this.isOver = true;
        clearTimeout(timer);
        this.endedAt = performance.now();
        resolve(this.result());
      };
      const timer = setTimeout(end, maxSeconds * 1000);
      for (const client of this.clients) {
        client.onReply = (latencyMs, err) => {
          this.count(latencyMs, err);
          if (this.received === this.options.warmUp + this.options.count) end();
          else if (!this.isOver) this.sendOne(client);
        };
        for (let i = 0; i < inFlight; i++) this.sendOne(client);
      }
    });
  }

  private sendOne(client: LoadConnection): void {
    if (this.sent >= this.options.warmUp + this.options.count) return;
    this.sent++;
    client.send(this.write);
  }

  private count(latencyMs: number, err: number): void {
    this.received++;
    if (this.received === this.options.warmUp + 1) this.startedAt = performance.now();
    const at = this.received - this.options.warmUp - 1;
    if (at < 0) return;
    if (err !== 0) this.errors++;
    this.latencies[at] = latencyMs;
  }

  private result(): LoadResult {
    const done = Math.max(0, this.received - this.options.warmUp);
    const sorted = this.latencies.subarray(0, done).sort();
    const at = (share: number): number => sorted[Math.floor((done - 1) * share)] ?? Number.NaN;
    return {
      opsPerSecond: (done / (this.endedAt - this.startedAt)) * 1000,
      p50Ms: at(0.5),
      p99Ms: at(0.99),
      maxMs: at(1),
      done,
      errors: this.errors,
    };
  }

  private writer(): (out: OutputArchive) => void {
    const { op, parent, size } = this.options;
    const data = Buffer.alloc(size, 0x79);
    if (op === 'create') {
      const prefix = `${parent}/c${Date.now().toString(36)}-`;
      const fields = { path: '', data, acl: OPEN_ACL_UNSAFE, flags: 0 };
      const rest = CreateRequest.encode(fields).subarray(4); // after an empty path
      return (out) => {
        out.writeInt(OpCode.create);
        out.writeString(prefix + this.nextName++);
        out.writeBytes(rest);
      };
    }
    const path = op === 'getChildren' ? parent : `${parent}/node`;
    const body = new OutputArchive();
    body.writeInt(op === 'get' ? OpCode.getData : OpCode[op === 'set' ? 'setData' : op]);
    body.writeString(path);
    if (op === 'set') {
      body.writeBuffer(data);
      body.writeInt(-1);
    } else {
      body.writeBool(false);
    }
    const bytes = body.take();
    return (out) => out.writeBytes(bytes);
  }
}

function writeCreate(out: OutputArchive, path: string, data: Buffer): void {
  out.writeInt(OpCode.create);
  CreateRequest.write(out, { path, data, acl: OPEN_ACL_UNSAFE, flags: 0 });
}

function writeRead(out: OutputArchive, path: string, isWatching: boolean): void {
  out.writeInt(OpCode.getData);
  out.writeString(path);
  out.writeBool(isWatching);
}

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
  }

  static open(port: number): Promise<LoadConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      socket.once('error', reject).once('close', () => reject(new Error('closed by the server')));
      socket.once('connect', () => {
        const request = ConnectRequest.encode({
          protocolVersion: 0,
          lastZxidSeen: 0n,
          timeOut: 30_000,
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

  /** Resolves after `count` more replies. */
  flushed(count: number): Promise<void> {
    let left = count;
    return new Promise((resolve) => {
      this.onReply = () => {
        if (--left === 0) resolve();
      };
    });
  }

  /** Sets a data watch on each path; resolves when all are set. */
  async watch(paths: readonly string[]): Promise<void> {
    const armed = this.flushed(paths.length);
    for (const path of paths) this.send((out) => writeRead(out, path, true));
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
