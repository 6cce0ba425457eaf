import { FrameDecoder } from '../../src/jute/frame-decoder.js';
import { InputArchive } from '../../src/jute/input-archive.js';
import { OutputArchive } from '../../src/jute/output-archive.js';
import type { Type } from '../../src/jute/record.js';
import { ErrorCode } from '../../src/protocol/error-code.js';
import { OpCode, Xid } from '../../src/protocol/op-code.js';
import {
  ConnectRequest,
  ConnectResponse,
  ReplyHeader,
  SetWatches,
  WatcherEvent,
} from '../../src/protocol/proto.js';
import type { Random } from '../support/random.js';
import type { History, Told } from './history.js';
import { Violation } from './ledger.js';
import type { Network, Socket } from './network.js';
import { TICK_MS } from './peer-parts.js';
import type { Scheduler, Timer } from './scheduler.js';
import type { ServerNode } from './server-node.js';

/** A request, and what its answer means to whoever made it. */
export interface Asked {
  readonly type: number;
  readonly body: Buffer;
  /** Called with the answer; not at all when the connection is lost first. */
  readonly answered: (answer: Answer) => void;
}

export interface Answer {
  readonly zxid: bigint;
  readonly err: number;
  readonly body: InputArchive;
}

export interface ClientWorld {
  readonly scheduler: Scheduler;
  readonly network: Network;
  readonly history: History;
  readonly servers: readonly ServerNode[];
  /** What a client tells when it connects. */
  lastZxidSeen(zxid: bigint): bigint;
  /** Checks that throw end the run. */
  guard(run: () => void): void;
  trace(line: string): void;
}

const SESSION_MS = 10 * TICK_MS;
const CONNECT_MS = 4 * TICK_MS;
const NO_PASSWORD = Buffer.alloc(16);

/**
 * A client, written anew for the simulation so that it shares no mistake with the project's own: it
 * speaks the protocol, comes back to its session on another server, arms its watches again, and
 * checks every answer.
 */
export class ClientNode {
  readonly id: number;
  told: Told = newTold(0n);
  isOpen = false;
  /** It talks to a server without a quorum, which may show what never was. */
  isReadOnly = false;
  /** Asked and not answered. */
  readonly sent: (Asked & { readonly xid: number; readonly after: bigint })[] = [];
  /** Called when there is a session to work in. */
  onOpen: () => void = () => undefined;
  onExpired: () => void = () => undefined;
  onEvent: (path: string) => void = () => undefined;
  private readonly world: ClientWorld;
  private readonly random: Random;
  /** It asks for no more than reads where there is no more. */
  private readonly canBeReadOnly: boolean;
  private password: Buffer = NO_PASSWORD;
  private socket: Socket | null = null;
  private connection = 0;
  private decoder: FrameDecoder | null = null;
  private isGreeted = false;
  private xid = 0;
  private heardMs = 0;
  private timer: Timer | null = null;

  constructor(world: ClientWorld, id: number, random: Random, canBeReadOnly = false) {
    this.world = world;
    this.id = id;
    this.random = random;
    this.canBeReadOnly = canBeReadOnly;
  }

  start(): void {
    this.reconnect();
    this.heartbeat();
  }

  ask(asked: Asked): void {
    const xid = ++this.xid;
    this.sent.push({ ...asked, xid, after: this.world.history.newest });
    this.sendFrame(xid, asked.type, asked.body);
  }

  /** An answer at `zxid` has armed a watch, which waits for its event from now on. */
  watch(path: string, isChild: boolean, zxid: bigint): void {
    const key = `${isChild ? 'child' : 'data'} ${path}`;
    if (!this.told.watches.has(key)) this.told.watches.set(key, { path, isChild, zxid });
  }

  private get nowMs(): number {
    return this.world.scheduler.nowMs;
  }

  private reconnect(): void {
    this.timer?.cancel();
    this.timer = this.world.scheduler.later(10 + this.random.below(200), () => this.connect());
  }

  private connect(): void {
    const { network, scheduler, servers } = this.world;
    const server = this.random.pick(servers);
    const connection = ++this.connection;
    const isCut = network.isCut(this.id, server.sid) || network.isCut(server.sid, this.id);
    this.heardMs = this.nowMs;
    scheduler.later(isCut ? CONNECT_MS : 2 * network.delayMs(), () => {
      if (this.connection !== connection) return;
      if (isCut || !server.isUp) {
        this.reconnect();
        return;
      }
      this.decoder = new FrameDecoder(1 << 24, (bytes, start, end) =>
        this.frame(new InputArchive(bytes, start, end)),
      );
      this.isGreeted = false;
      const end = {
        received: (bytes: Buffer) => {
          if (this.connection === connection) {
            this.world.guard(() => this.decoder?.push(Buffer.from(bytes)));
          }
        },
        closed: () => {
          if (this.connection === connection) this.leave();
        },
      };
      const other = server.sockets.acceptClient(() => sockets.ofB, `10.0.0.${this.id - 100}`);
      const sockets = network.connect(this.id, end, server.sid, other);
      this.socket = sockets.ofA;
      other.begin();
      this.greet();
    });
  }

  private greet(): void {
    const hello = ConnectRequest.encode({
      protocolVersion: 0,
      lastZxidSeen: this.world.lastZxidSeen(this.told.lastZxid),
      timeOut: SESSION_MS,
      sessionId: this.told.id,
      passwd: this.password,
      readOnly: this.canBeReadOnly,
    });
    this.sendBytes(hello);
  }

  /** Its connection is gone, or given up: it comes back, to whatever server. */
  leave(): void {
    this.connection++;
    this.socket?.close();
    this.socket = null;
    this.decoder?.stop();
    this.isOpen = false;
    // The session of a server without a quorum is that server's alone, and only one who has no
    // other may have such: these clients give theirs up.
    if (this.isReadOnly || (this.canBeReadOnly && this.random.oneIn(2))) {
      this.isReadOnly = false;
      this.told = newTold(0n, this.told.lastZxid);
      this.password = NO_PASSWORD;
    }
    this.sent.length = 0;
    this.reconnect();
  }

  private heartbeat(): void {
    this.world.scheduler.later(SESSION_MS / 6, () => {
      if (this.socket !== null) {
        if (this.nowMs - this.heardMs > (SESSION_MS * 2) / 3) this.leave();
        else if (this.isOpen) this.sendFrame(Xid.ping, OpCode.ping, Buffer.alloc(0));
      }
      this.heartbeat();
    });
  }

  private frame(input: InputArchive): void {
    this.heardMs = this.nowMs;
    if (!this.isGreeted) {
      this.isGreeted = true;
      this.welcome(read(ConnectResponse, input));
      return;
    }
    const { xid, zxid, err } = read(ReplyHeader, input);
    if (xid === Xid.notification) {
      this.event(read(WatcherEvent, input));
      return;
    }
    if (xid === Xid.ping || xid === Xid.setWatches) return;
    const asked = this.sent.shift();
    if (asked === undefined || asked.xid !== xid) {
      throw new Violation(`client ${this.id} asked ${asked?.xid}, and ${xid} was answered`);
    }
    this.world.history.answered(this.told, zxid);
    if (err === ErrorCode.OK && isWrite(asked.type)) {
      this.world.history.wrote(this.told, xid, zxid, asked.after);
    }
    asked.answered({ zxid, err, body: input });
  }

  private welcome({ sessionId, passwd, timeOut, readOnly }: ConnectResponse): void {
    if (sessionId === 0n || timeOut <= 0) {
      this.world.trace(`client ${this.id} has lost session ${this.told.id.toString(16)}`);
      this.told = newTold(0n, this.told.lastZxid);
      this.password = NO_PASSWORD;
      this.onExpired();
      this.leave();
      return;
    }
    if (this.told.id === 0n) this.told = newTold(sessionId, this.told.lastZxid);
    else if (sessionId !== this.told.id) throw new Violation(`client ${this.id} got a new session`);
    this.password = passwd ?? NO_PASSWORD;
    this.isReadOnly = readOnly;
    this.isOpen = true;
    this.world.trace(`client ${this.id} has session ${this.told.id.toString(16)}`);
    this.armAgain();
    this.onOpen();
  }

  private armAgain(): void {
    const watches = [...this.told.watches.values()];
    if (watches.length === 0) return;
    const paths = (isChild: boolean) =>
      watches.filter((watch) => watch.isChild === isChild).map(({ path }) => path);
    const body = SetWatches.encode({
      relativeZxid: this.told.lastZxid,
      dataWatches: paths(false),
      existWatches: [],
      childWatches: paths(true),
    });
    this.sendFrame(Xid.setWatches, OpCode.setWatches, body);
  }

  /** NodeChildrenChanged (4) is of child watches, NodeDeleted (2) of both, others of data. */
  private event({ type, path }: { type: number; path: string }): void {
    if (type !== 4) this.told.watches.delete(`data ${path}`);
    if (type === 4 || type === 2) this.told.watches.delete(`child ${path}`);
    this.onEvent(path);
  }

  private sendFrame(xid: number, type: number, body: Buffer): void {
    const out = new OutputArchive();
    out.writeInt(xid);
    out.writeInt(type);
    out.writeBytes(body);
    this.sendBytes(out.take());
  }

  private sendBytes(bytes: Buffer): void {
    const length = Buffer.alloc(4);
    length.writeInt32BE(bytes.length);
    this.socket?.send(Buffer.concat([length, bytes]));
  }
}

function newTold(id: bigint, lastZxid = 0n): Told {
  return { id, lastZxid, watches: new Map() };
}

function isWrite(type: number): boolean {
  return type !== OpCode.getData && type !== OpCode.getChildren && type !== OpCode.sync;
}

function read<T>(record: Type<T>, input: InputArchive): T {
  return record.read(input);
}
