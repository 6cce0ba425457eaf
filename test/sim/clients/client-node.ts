import { FrameDecoder } from '../../../src/jute/frame-decoder.js';
import { InputArchive } from '../../../src/jute/input-archive.js';
import { ErrorCode } from '../../../src/protocol/error-code.js';
import { OpCode, Xid } from '../../../src/protocol/op-code.js';
import {
  ConnectRequest,
  ConnectResponse,
  ReplyHeader,
  WatcherEvent,
} from '../../support/bytes/jute-records.js';
import type { Random } from '../../support/random.js';
import type { Socket } from '../nodes/network.js';
import { TICK_MS } from '../nodes/peer-parts.js';
import type { ServerNode } from '../nodes/server-node.js';
import type { Timer } from '../scheduler.js';
import { Violation } from '../violation.js';
import { checkReply } from './check-reply.js';
import { ClientSession, NO_PASSWORD } from './client-session.js';
import type { Asked, ClientWorld } from './client-world.js';
import { dialServer } from './dial-server.js';
import { authFrame, frameOf, requestFrame } from './frames.js';
import { WRITES } from './requests.js';
import type { EventType } from './watched-event.js';

/** Ahead of every txn of a run. */
const FAR = 1n << 44n;
const CONNECT_MS = 4 * TICK_MS;
const NO_BODY = Buffer.alloc(0);

/**
 * A client that shares no code, and so no mistake, with the project's library. It moves its
 * session between servers, sets its watches again, and checks every response.
 */
export class ClientNode extends ClientSession {
  isOpen = false;
  /** It uses a server without a quorum, which may show txns that are lost later. */
  isReadOnly = false;
  /** Requests without a response. */
  readonly sent: (Asked & { readonly xid: number; readonly after: bigint })[] = [];
  /** Called when there is a session to work in. */
  onOpen: () => void = () => undefined;
  private readonly random: Random;
  /** A read-only client, where servers may serve reads without a quorum. */
  private readonly canBeReadOnly: boolean;
  private socket: Socket | null = null;
  /** The server that it is connected to, or was. */
  at = 0;
  private connection = 0;
  /** The number of the connection among those of its session. */
  private sessionConnection = 0;
  private decoder: FrameDecoder | null = null;
  private isGreeted = false;
  private xid = 0;
  /** It claims to have seen a txn that no server has. */
  private isAhead = false;
  private timer: Timer | null = null;

  constructor(world: ClientWorld, id: number, random: Random, canBeReadOnly = false) {
    super(world, id);
    this.random = random;
    this.canBeReadOnly = canBeReadOnly;
  }

  start(): void {
    this.reconnect();
    this.heartbeat();
  }

  ask(asked: Asked): void {
    const xid = ++this.xid;
    const { history, recording } = this.world;
    const sent = { ...asked, xid, after: history.newest };
    this.sent.push(sent);
    if (!this.isReadOnly) {
      recording.sent(this, sent);
      this.noteWrite(xid, asked);
    }
    this.sendFrame(xid, asked.type, asked.body);
  }

  private noteWrite(xid: number, { type, body }: Asked): void {
    if (!WRITES.has(type)) return;
    const { author, sessionConnection: connection, at } = this;
    this.world.history.sent(this.told, xid, { type, body, author, connection, at });
  }

  /** Closes the session after earlier requests. */
  closeSession(): void {
    this.ask({
      type: OpCode.closeSession,
      body: NO_BODY,
      answered: ({ err }) => {
        if (err !== ErrorCode.OK) return;
        this.world.history.closedSession(this.told);
        this.forget();
      },
    });
  }

  /** Abandons its session and begins another, as a restarted process does. */
  forget(): void {
    this.dropSession(this.random);
    this.leave();
  }

  /**
   * Takes over another client's session and restarts the count of requests, as a new process does.
   */
  takeOver(other: ClientNode): void {
    if (other.told.id === 0n || this.canBeReadOnly) return;
    this.share(other);
    this.xid = 0;
    this.leave();
  }

  /** Leaves a server, which gets the last requests only when the session is used elsewhere. */
  hop(): void {
    const { network, scheduler } = this.world;
    const { id, at } = this;
    network.cut(id, at);
    scheduler.later(300 + this.random.below(500), () => network.heal(id, at));
    this.leave();
  }

  /** Adds a digest identity to this connection and to all later ones, or to later ones only. */
  addAuth(userAndPassword: string): void {
    this.identity.add(userAndPassword);
    this.socket?.send(authFrame(userAndPassword));
    // Until the server has read it, nobody knows which events the client gets.
    if (this.told.watches.isGuarded) this.leave();
    else this.told.watches.author = this.author;
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
    this.liveness.heardMs = this.nowMs;
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
      this.dial(server, connection);
      this.greet();
    });
  }

  private dial(server: ServerNode, connection: number): void {
    const isNow = () => this.connection === connection;
    this.socket = dialServer(this.world, this, server, {
      received: (bytes) => {
        if (isNow()) this.world.guard(() => this.decoder?.push(Buffer.from(bytes)));
      },
      closed: () => {
        if (isNow()) this.leave();
      },
    });
    this.at = server.sid;
  }

  private greet(): void {
    const { id: sessionId, lastZxid } = this.told;
    this.isAhead = this.random.oneIn(40);
    const lastZxidSeen = this.world.lastZxidSeen(lastZxid) + (this.isAhead ? FAR : 0n);
    this.told.watches.author = this.author;
    this.sessionConnection = this.world.history.connects(this.told);
    const session = { sessionId, passwd: this.password, timeOut: this.liveness.askedMs };
    const own = { protocolVersion: 0, lastZxidSeen, readOnly: this.canBeReadOnly };
    this.socket?.send(frameOf(ConnectRequest.encode({ ...session, ...own })));
  }

  /** After its connection is lost or abandoned, it connects again to any server. */
  leave(): void {
    this.connection++;
    this.socket?.close();
    this.socket = null;
    this.decoder?.stop();
    this.isOpen = false;
    // Only the server without a quorum knows the session that it made, so these clients abandon
    // it.
    if (this.isReadOnly || (this.canBeReadOnly && this.random.oneIn(2))) {
      this.isReadOnly = false;
      this.dropSession(this.random);
    }
    this.told.watches.disconnected();
    for (const asked of this.sent.splice(0)) this.world.recording.lost(asked);
    if (this.isShared) this.xid = 0;
    this.reconnect();
  }

  private heartbeat(): void {
    this.liveness.later(() => {
      if (this.socket !== null && this.liveness.isSilent) this.leave();
      else if (this.isOpen) this.sendFrame(Xid.ping, OpCode.ping, NO_BODY);
      this.heartbeat();
      return this.isOpen;
    });
  }

  private frame(input: InputArchive): void {
    this.liveness.heardMs = this.nowMs;
    if (!this.isGreeted) {
      this.isGreeted = true;
      // A read-only server without local sessions refuses.
      if (input.remaining === 16) this.leave();
      else this.welcome(ConnectResponse.read(input));
      return;
    }
    const { xid, zxid, err } = ReplyHeader.read(input);
    if (xid === Xid.notification) {
      this.event(WatcherEvent.read(input));
      return;
    }
    if (xid === Xid.auth) return;
    if (xid === Xid.setWatches) {
      this.told.watches.rearmed(zxid, err);
      return;
    }
    this.world.history.answered(this.told, zxid, this.isReadOnly);
    if (xid === Xid.ping) {
      this.liveness.answered(this.told, this.isReadOnly || this.isOfDeposed);
      return;
    }
    const asked = this.sent.shift();
    if (asked === undefined || asked.xid !== xid) {
      throw new Violation(`client ${this.id} sent request ${asked?.xid}, and ${xid} was answered`);
    }
    if (!this.isReadOnly) {
      const isWrite = asked.type === OpCode.closeSession ? this.hasTxns : WRITES.has(asked.type);
      checkReply(this.world.history, this.told, { ...asked, isWrite }, { zxid, err, body: input });
    }
    this.world.recording.answered(this, asked, { zxid, err, body: input });
    asked.answered({ zxid, err, body: input });
  }

  /** A leader that was paused may answer before it knows that another one expires sessions. */
  private get isOfDeposed(): boolean {
    const peer = this.world.servers.find(({ sid }) => sid === this.at)?.peer;
    const newest = this.world.lastProposed >> 32n;
    return peer?.isLeading === true && BigInt(peer.currentEpoch) < newest;
  }

  /** Whether a txn closes its session. A local session ends without one. */
  private get hasTxns(): boolean {
    return !this.isReadOnly && this.world.history.isGlobal(this.told);
  }

  private welcome({ sessionId, passwd, timeOut, readOnly }: ConnectResponse): void {
    if (sessionId === 0n || timeOut <= 0) {
      this.world.trace(`client ${this.id} has lost session ${this.told.id.toString(16)}`);
      this.forget();
      return;
    }
    if (this.isAhead) throw new Violation(`client ${this.id} is ahead, and was served`);
    if (this.told.id === 0n) {
      this.told = this.world.history.newTold(sessionId, this.author, this.told.lastZxid);
    } else if (sessionId !== this.told.id) {
      throw new Violation(`client ${this.id} got a new session`);
    }
    this.liveness.welcomed(this.told, timeOut, readOnly);
    const { sessionConnection: connection, at } = this;
    this.world.history.welcomed(this.told, { connection, at }, this.world.lastProposed);
    this.password = passwd ?? NO_PASSWORD;
    this.isReadOnly = readOnly;
    this.isOpen = true;
    this.world.trace(`client ${this.id} has session ${this.told.id.toString(16)}`);
    for (const user of this.identity.users) this.socket?.send(authFrame(user));
    this.armAgain();
    this.onOpen();
  }

  private armAgain(): void {
    const { watches, lastZxid } = this.told;
    // A server without a quorum may show txns that are lost later.
    if (this.isReadOnly) watches.clear();
    if (watches.size === 0) return;
    this.sendFrame(Xid.setWatches, OpCode.setWatches2, watches.rearming(lastZxid));
  }

  private event({ type, path }: { type: number; path: string }): void {
    if (!this.isReadOnly) this.told.watches.event({ type: type as EventType, path });
  }

  private sendFrame(xid: number, type: number, body: Buffer): void {
    this.socket?.send(requestFrame(xid, type, body));
  }
}
