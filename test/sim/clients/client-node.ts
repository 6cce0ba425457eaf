import { FrameDecoder } from '../../../src/jute/frame-decoder.js';
import { InputArchive } from '../../../src/jute/input-archive.js';
import { OutputArchive } from '../../../src/jute/output-archive.js';
import { ErrorCode } from '../../../src/protocol/error-code.js';
import { OpCode, Xid } from '../../../src/protocol/op-code.js';
import { AuthPacket } from '../../../src/protocol/proto.js';
import {
  ConnectRequest,
  ConnectResponse,
  ReplyHeader,
  WatcherEvent,
} from '../../support/bytes/jute-records.js';
import type { Random } from '../../support/random.js';
import type { Told } from '../history.js';
import type { Socket } from '../nodes/network.js';
import { TICK_MS } from '../nodes/peer-parts.js';
import type { Timer } from '../scheduler.js';
import { Violation } from '../violation.js';
import type { Asked, ClientWorld } from './client-world.js';
import { WRITES } from './requests.js';
import type { EventType } from './watched-event.js';

const SESSION_MS = 10 * TICK_MS;
const CONNECT_MS = 4 * TICK_MS;
const NO_PASSWORD = Buffer.alloc(16);
const NO_BODY = Buffer.alloc(0);

/**
 * A client that shares no code, and so no mistake, with the project's library. It moves its
 * session between servers, sets its watches again, and checks every response.
 */
export class ClientNode {
  readonly id: number;
  told: Told;
  isOpen = false;
  /** Counts its sessions, new and taken over. */
  life = 0;
  /** It uses a server without a quorum, which may show txns that are lost later. */
  isReadOnly = false;
  /** Requests without a response. */
  readonly sent: (Asked & { readonly xid: number; readonly after: bigint })[] = [];
  /** Called when there is a session to work in. */
  onOpen: () => void = () => undefined;
  private readonly world: ClientWorld;
  private readonly random: Random;
  /** A read-only client, where servers may serve reads without a quorum. */
  private readonly canBeReadOnly: boolean;
  private password: Buffer = NO_PASSWORD;
  private socket: Socket | null = null;
  private connection = 0;
  private decoder: FrameDecoder | null = null;
  private isGreeted = false;
  private xid = 0;
  /** "user:password" of each digest identity, which it sends again on every connection. */
  private readonly auths: string[] = [];
  private heardMs = 0;
  private timer: Timer | null = null;

  constructor(world: ClientWorld, id: number, random: Random, canBeReadOnly = false) {
    this.world = world;
    this.id = id;
    this.random = random;
    this.canBeReadOnly = canBeReadOnly;
    this.told = world.history.newTold(0n);
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
    if (!this.isReadOnly) recording.sent(this, sent);
    this.sendFrame(xid, asked.type, asked.body);
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
    this.dropSession();
    this.leave();
  }

  /**
   * Takes over another client's session and restarts the count of requests, as a new process does.
   */
  takeOver({ told, password }: ClientNode): void {
    if (told.id === 0n || this.canBeReadOnly) return;
    const { lastZxid } = this.told;
    this.life++;
    this.told = this.world.history.newTold(told.id, lastZxid);
    this.world.history.shared.add(told.id);
    this.password = password;
    this.xid = 0;
    this.leave();
  }

  /** Another client also uses its session, so each connection restarts the count of requests. */
  get isShared(): boolean {
    return this.world.history.shared.has(this.told.id);
  }

  /** Adds a digest identity to this connection and to all later ones. */
  addAuth(userAndPassword: string): void {
    if (!this.auths.includes(userAndPassword)) this.auths.push(userAndPassword);
    this.sendAuth(userAndPassword);
  }

  private sendAuth(userAndPassword: string): void {
    const packet = { type: 0, scheme: 'digest', auth: Buffer.from(userAndPassword) };
    this.sendFrame(Xid.auth, OpCode.auth, AuthPacket.encode(packet));
  }

  private dropSession(): void {
    this.life++;
    this.world.history.events += this.told.watches.events;
    this.told = this.world.history.newTold(0n, this.told.lastZxid);
    this.password = NO_PASSWORD;
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
    const { id: sessionId, lastZxid } = this.told;
    const lastZxidSeen = this.world.lastZxidSeen(lastZxid);
    const session = { sessionId, passwd: this.password, timeOut: SESSION_MS };
    const own = { protocolVersion: 0, lastZxidSeen, readOnly: this.canBeReadOnly };
    this.sendBytes(ConnectRequest.encode({ ...session, ...own }));
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
      this.dropSession();
    }
    this.told.watches.disconnected();
    for (const asked of this.sent.splice(0)) this.world.recording.lost(asked);
    if (this.isShared) this.xid = 0;
    this.reconnect();
  }

  private heartbeat(): void {
    this.world.scheduler.later(SESSION_MS / 6, () => {
      if (this.socket !== null) {
        if (this.nowMs - this.heardMs > (SESSION_MS * 2) / 3) this.leave();
        else if (this.isOpen) this.sendFrame(Xid.ping, OpCode.ping, NO_BODY);
      }
      this.heartbeat();
    });
  }

  private frame(input: InputArchive): void {
    this.heardMs = this.nowMs;
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
    if (xid === Xid.ping) return;
    const asked = this.sent.shift();
    if (asked === undefined || asked.xid !== xid) {
      throw new Violation(`client ${this.id} sent request ${asked?.xid}, and ${xid} was answered`);
    }
    const isWrite = asked.type === OpCode.closeSession ? this.hasTxns : WRITES.has(asked.type);
    if (err === ErrorCode.OK && isWrite) {
      this.world.history.wrote(this.told, xid, zxid, asked.after);
    }
    this.world.recording.answered(this, asked, { zxid, err, body: input });
    asked.answered({ zxid, err, body: input });
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
    if (this.told.id === 0n) {
      this.told = this.world.history.newTold(sessionId, this.told.lastZxid);
    } else if (sessionId !== this.told.id) {
      throw new Violation(`client ${this.id} got a new session`);
    }
    this.password = passwd ?? NO_PASSWORD;
    this.isReadOnly = readOnly;
    this.isOpen = true;
    this.world.trace(`client ${this.id} has session ${this.told.id.toString(16)}`);
    for (const auth of this.auths) this.sendAuth(auth);
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
