import { connect, type Socket } from 'node:net';
import { FrameDecoder } from '../src/jute/frame-decoder.js';
import { InputArchive } from '../src/jute/input-archive.js';
import { OutputArchive } from '../src/jute/output-archive.js';
import { OpCode } from '../src/protocol/op-code.js';
import { SetWatches } from '../src/protocol/proto.js';
import { ConnectRequest, ConnectResponse } from '../test/support/bytes/jute-records.js';

const SESSION_TIMEOUT_MS = 60_000;
const MAX_REPLY = 1024 * 1024;
/** After each server was tried once. */
const PAUSE_MS = 100;
const SET_WATCHES_XID = -8;

/** A session with a data watch that returns to another server whenever it loses its own. */
export class StormSession {
  private readonly ports: readonly number[];
  private readonly path: string;
  private at: number;
  private tries = 0;
  private sessionId = 0n;
  private passwd: Buffer = Buffer.alloc(16);
  private lastZxid = 0n;
  private socket: Socket | undefined;
  private isConnected = false;
  private isOver = false;
  private hasWatch = false;
  private xid = 0;
  private answered: () => void = () => undefined;
  private failed: (error: Error) => void = () => undefined;

  /** @param at the index of its first server */
  constructor(ports: readonly number[], at: number, path: string) {
    this.ports = ports;
    this.at = at;
    this.path = path;
  }

  /** Resolves when the session has its watch. */
  open(): Promise<void> {
    const open = this.nextAnswer();
    this.connect();
    return open;
  }

  /**
   * Reads once. Resolves after a reply: to this read, or to the SetWatches of a new connection.
   */
  back(): Promise<void> {
    const back = this.nextAnswer();
    if (this.isConnected) this.read(false);
    return back;
  }

  destroy(): void {
    this.isOver = true;
    this.socket?.destroy();
  }

  private nextAnswer(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.answered = resolve;
      this.failed = reject;
    });
  }

  private connect(): void {
    if (this.isOver) return;
    const port = this.ports[this.at % this.ports.length] ?? 0;
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket = socket;
    const decoder = new FrameDecoder(MAX_REPLY, (bytes, start, end) =>
      this.receive(new InputArchive(bytes, start, end)),
    );
    socket.on('connect', () => this.greet());
    socket.on('data', (chunk) => decoder.push(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => this.lost());
  }

  private lost(): void {
    this.isConnected = false;
    if (this.isOver) return;
    this.at++;
    const hasTriedAll = ++this.tries % this.ports.length === 0;
    setTimeout(() => this.connect(), hasTriedAll ? PAUSE_MS : 0);
  }

  private greet(): void {
    const { sessionId, passwd, lastZxid } = this;
    const request = ConnectRequest.encode({
      protocolVersion: 0,
      lastZxidSeen: lastZxid,
      timeOut: SESSION_TIMEOUT_MS,
      sessionId,
      passwd,
      readOnly: false,
    });
    this.send((out) => out.writeBytes(request));
  }

  private receive(input: InputArchive): void {
    if (this.isConnected) {
      input.readInt();
      this.lastZxid = input.readLong();
      this.tries = 0;
      this.answered();
      return;
    }
    const { sessionId, passwd } = ConnectResponse.read(input);
    if (sessionId === 0n) {
      this.failed(new Error(`session 0x${this.sessionId.toString(16)} expired`));
      this.destroy();
      return;
    }
    this.sessionId = sessionId;
    this.passwd = Buffer.from(passwd ?? '');
    this.isConnected = true;
    if (this.hasWatch) this.restoreWatch();
    else this.read(true);
    this.hasWatch = true;
  }

  private read(isWatching: boolean): void {
    this.send((out) => {
      out.writeInt(++this.xid);
      out.writeInt(OpCode.getData);
      out.writeString(this.path);
      out.writeBool(isWatching);
    });
  }

  private restoreWatch(): void {
    this.send((out) => {
      out.writeInt(SET_WATCHES_XID);
      out.writeInt(OpCode.setWatches);
      SetWatches.write(out, {
        relativeZxid: this.lastZxid,
        dataWatches: [this.path],
        existWatches: [],
        childWatches: [],
      });
    });
  }

  private send(write: (out: OutputArchive) => void): void {
    const out = new OutputArchive(128);
    const start = out.skip(4);
    write(out);
    out.patchInt(start, out.length - start - 4);
    this.socket?.write(out.take());
  }
}
