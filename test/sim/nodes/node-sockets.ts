import type { QuorumEffect } from '../../../src/server/effects.js';
import type { Event } from '../../../src/server/events.js';
import { snapshotPieces } from '../../../src/server/quorum/leading/snapshot-stream.js';
import type { Scheduler } from '../scheduler.js';
import { CommitOrder } from './commit-order.js';
import type { End, Network, Socket } from './network.js';
import { OBSERVER_PORT } from './peer-parts.js';
import { StreamingSocket } from './streaming-socket.js';

/** Small, so that much happens while a snapshot is sent. */
const PIECE = 512;

/** The parts of the world that the sockets of a node need. */
interface SocketWorld {
  readonly scheduler: Scheduler;
  readonly network: Network;
  node(sid: number): { readonly isUp: boolean; readonly sockets: NodeSockets } | undefined;
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

  constructor(world: SocketWorld, sid: number, step: (event: Event) => void) {
    this.world = world;
    this.sid = sid;
    this.step = step;
  }

  send(id: number, bytes: Buffer): void {
    this.sockets.get(id)?.send(bytes);
  }

  /** To another server. */
  sendPackets(link: number, bytes: Buffer): void {
    const order = this.orders.get(link) ?? new CommitOrder();
    this.orders.set(link, order);
    order.sent(bytes);
    this.send(link, bytes);
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
        this.sockets.set(link, this.streaming(socket()));
        this.step({ kind: 'link-opened', link, remote, isObserverPort });
      },
      ...this.linkEnd(link),
    };
  }

  private linkEnd(link: number): End {
    return {
      received: (bytes) => {
        if (this.sockets.has(link)) this.step({ kind: 'link-received', link, bytes });
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
