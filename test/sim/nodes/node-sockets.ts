import type { QuorumEffect } from '../../../src/server/effects.js';
import type { Event } from '../../../src/server/events.js';
import { snapshotPieces } from '../../../src/server/quorum/leading/synchronizer.js';
import type { Random } from '../../support/random.js';
import type { Scheduler } from '../scheduler.js';
import { AckWatch } from './ack-watch.js';
import { CommitOrder } from './commit-order.js';
import { Liar } from './liar.js';
import type { End, Network, Socket } from './network.js';
import { OBSERVER_PORT } from './peer-parts.js';
import { StreamingSocket } from './streaming-socket.js';

/** Small, so that much happens while a snapshot is sent. */
const PIECE = 512;
/** Small, so that a learner often falls behind. */
const FULL_BYTES = 4096;

/** The parts of the world that the sockets of a node need. */
interface SocketWorld {
  readonly scheduler: Scheduler;
  readonly network: Network;
  /** The last zxid that any leader has proposed. */
  readonly lastProposed: bigint;
  /** One link in this many lies; 0: none. */
  readonly lies: { readonly random: Random; readonly oneIn: number };
  node(sid: number): { readonly isUp: boolean; readonly sockets: NodeSockets } | undefined;
  /** Checks that throw end the run. */
  guard(run: () => void): void;
}

/** The connections of one life of a server, by their numbers. */
export class NodeSockets {
  private readonly world: SocketWorld;
  private readonly sid: number;
  private readonly step: (event: Event) => void;
  private readonly sockets = new Map<number, Socket>();
  private readonly orders = new Map<number, CommitOrder>();
  /** Whether it listens for observers. */
  isObserverPortOpen = false;
  private numbers = 0;
  private readonly proven = new Set<number>();
  private readonly full = new Set<number>();
  /** Packets on links that are not read now. */
  private readonly held = new Map<number, Buffer[]>();
  readonly acks = new AckWatch();
  private readonly liar: Liar;

  constructor(world: SocketWorld, sid: number, step: (event: Event) => void) {
    this.world = world;
    this.sid = sid;
    this.step = step;
    this.liar = new Liar(world.lies.random, this.acks, {
      lastProposed: () => world.lastProposed,
      oneIn: () => world.lies.oneIn,
    });
  }

  send(id: number, bytes: Buffer): void {
    this.sockets.get(id)?.send(bytes);
  }

  prove(link: number): void {
    this.proven.add(link);
  }

  /** As QuorumLink tells it of a learner that is not in sync. */
  private read(link: number, socket: Socket): void {
    if (!this.sockets.has(link) || this.proven.has(link)) return;
    const isEmpty = socket.unread === 0 && this.full.delete(link);
    this.step({ kind: 'link-output', link, state: isEmpty ? 'empty' : 'moving' });
  }

  /** Stops reading from a link, or reads again. */
  hold(link: number, isHeld: boolean): void {
    const waiting = this.held.get(link);
    if (isHeld) this.held.set(link, waiting ?? []);
    else {
      this.held.delete(link);
      for (const bytes of waiting ?? []) this.step({ kind: 'link-received', link, bytes });
    }
  }

  /** To another server. */
  sendPackets(link: number, bytes: Buffer): void {
    const order = this.orders.get(link) ?? new CommitOrder();
    this.orders.set(link, order);
    order.sent(bytes);
    this.send(link, this.liar.sending(link, bytes));
    const isFull = (this.sockets.get(link)?.unread ?? 0) > FULL_BYTES;
    if (link <= 0 || !isFull || this.full.has(link) || this.proven.has(link)) return;
    this.full.add(link);
    this.step({ kind: 'link-output', link, state: 'full' });
  }

  sendSnapshot(effect: Extract<QuorumEffect, { kind: 'link-snapshot' }>): void {
    const { link } = effect;
    const pieces = snapshotPieces(effect, PIECE);
    const socket = this.sockets.get(link);
    if (socket instanceof StreamingSocket) {
      socket.stream(
        pieces,
        () => {
          if (this.sockets.has(link)) this.step({ kind: 'snapshot-sent', link });
        },
        (reason) => this.fail(link, `the snapshot could not be sent: ${reason}`),
      );
    }
  }

  /** @param packets the txns of the range from the log; rejects if the log no longer has them */
  sendTxns(link: number, packets: AsyncIterable<Buffer>): void {
    const socket = this.sockets.get(link);
    if (socket instanceof StreamingSocket) {
      socket.streamLater(packets[Symbol.asyncIterator](), () =>
        this.fail(link, 'the log could not be sent'),
      );
    }
  }

  private streaming(socket: Socket): StreamingSocket {
    const { scheduler, network } = this.world;
    return new StreamingSocket(socket, (run) => scheduler.later(network.delayMs(), run));
  }

  close(id: number): void {
    this.sockets.get(id)?.close();
    this.sockets.delete(id);
  }

  /** The own server gets an event too, as for any broken link. */
  fail(id: number, reason: string): void {
    if (!this.sockets.has(id)) return;
    this.close(id);
    this.step({ kind: 'link-closed', link: id, reason });
  }

  /** A client has connected. Call `begin` when the other end exists. */
  acceptClient(socket: () => Socket, remoteIp: string): End & { begin(): void } {
    const connection = ++this.numbers;
    return {
      begin: () => {
        this.sockets.set(connection, socket());
        this.step({ kind: 'connected', connection, remoteIp, remotePort: 40_000 + connection });
      },
      received: (bytes) => {
        if (this.sockets.has(connection)) this.step({ kind: 'received', connection, bytes });
      },
      closed: () => {
        if (this.sockets.delete(connection)) this.step({ kind: 'disconnected', connection });
      },
    };
  }

  /** Another server has connected. */
  private acceptLink(
    socket: () => Socket,
    remote: string,
    isObserverPort: boolean,
  ): End & { begin(): void } {
    const link = ++this.numbers;
    return {
      begin: () => {
        const opened = this.streaming(socket());
        this.sockets.set(link, opened);
        opened.whenRead(() => this.read(link, opened));
        this.step({ kind: 'link-opened', link, remote, isObserverPort });
      },
      ...this.linkEnd(link),
    };
  }

  private linkEnd(link: number): End {
    return {
      received: (bytes) => {
        if (!this.sockets.has(link)) return;
        if (link > 0) this.world.guard(() => this.acks.received(link, bytes));
        const held = this.held.get(link);
        if (held !== undefined) held.push(bytes);
        else this.step({ kind: 'link-received', link, bytes });
      },
      closed: (reason) => {
        if (this.sockets.delete(link)) this.step({ kind: 'link-closed', link, reason });
      },
    };
  }

  dial({ link, addresses, timeoutMs }: Extract<QuorumEffect, { kind: 'link-dial' }>): void {
    const { network, scheduler } = this.world;
    const [{ host, port } = { host: '', port: 0 }] = addresses;
    const to = Number(host.split('.').at(-1));
    const isObserverPort = port === OBSERVER_PORT;
    const isCut = network.isCut(this.sid, to) || network.isCut(to, this.sid);
    scheduler.later(isCut ? timeoutMs : 2 * network.delayMs(), () => {
      const node = this.world.node(to);
      const isHeard = node?.isUp === true && (!isObserverPort || node.sockets.isObserverPortOpen);
      if (isCut || !isHeard) {
        this.step({ kind: 'link-closed', link, reason: isCut ? 'no answer' : 'refused' });
        return;
      }
      if (this.world.node(this.sid)?.sockets !== this) return;
      const other = node.sockets.acceptLink(() => pair.ofB, `server ${this.sid}`, isObserverPort);
      const pair = network.connect(this.sid, this.linkEnd(link), to, other);
      this.sockets.set(link, this.streaming(pair.ofA));
      other.begin();
      this.step({ kind: 'link-opened', link, remote: `server ${to}` });
    });
  }
}
