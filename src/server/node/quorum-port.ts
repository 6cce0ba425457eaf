/**
 * The connections over which a leader and its learners agree: bytes in become events, effects
 * become bytes out. Who comes to the port of a server that does not lead, the core turns away.
 */
import type { Socket } from 'node:net';
import type { QuorumServerConfig } from '../config-ensemble.js';
import type { QuorumEffect } from '../effects.js';
import type { Event } from '../events.js';
import { type DialOptions, dial, PLAIN, type Transport } from './dial.js';
import { plainIp } from './listen.js';
import { PeerListener, placesOf } from './peer-listener.js';
import type { QuorumAuth } from './quorum-auth.js';
import { QuorumLink } from './quorum-link.js';
import { Seldom } from './seldom.js';

export interface QuorumPortOptions {
  /** The number of this server. */
  readonly sid: number;
  /** For the first bytes of who came in. */
  readonly greetingTimeoutMs: number;
  /** quorumListenOnAllIPs */
  readonly isEverywhere: boolean;
  /** electionPortBindRetry */
  readonly bindTries: number;
  readonly transport?: Transport;
  /** quorum.auth.enableSasl */
  readonly auth?: QuorumAuth | null;
  /** Default MAX_WAITING_BYTES. */
  readonly maxWaitingBytes?: number;
  readonly step: (event: Event) => void;
  readonly onWarning: (message: string) => void;
}

/** Connections that came in; who comes when there are as many is turned away. */
const MAX_LINKS = 1024;

export class QuorumPort {
  private readonly options: QuorumPortOptions;
  private readonly transport: Transport;
  private readonly listener: PeerListener;
  private readonly seldom: Seldom;
  private readonly links = new Map<number, QuorumLink>();
  private readonly calls = new Map<number, AbortController>();
  /** Of those that came in and may not be used yet. */
  private readonly arriving = new Set<Socket>();
  /** Of those that have a number, or had one and still send what they were given. */
  private readonly sockets = new Set<Socket>();
  private nextLink = 1;
  private isClosed = false;

  constructor(options: QuorumPortOptions) {
    this.options = options;
    this.transport = options.transport ?? PLAIN;
    this.seldom = new Seldom(options.onWarning);
    this.listener = new PeerListener({
      whom: 'the other servers',
      tries: options.bindTries,
      accept: (socket) => this.accept(socket),
      onWarning: options.onWarning,
    });
  }

  /** @throws ServerError EBIND */
  async listen(members: readonly QuorumServerConfig[]): Promise<void> {
    const own = members.find(({ sid }) => sid === this.options.sid);
    // One that is no member (yet, or any more) stays where it was, and may be asked in again.
    if (own === undefined) return;
    const places = own.addresses.map(({ host, quorumPort: port }) => ({ host, port }));
    await this.listener.move(placesOf(places, this.options.isEverywhere));
  }

  /** This server may listen elsewhere from now on. */
  setMembers(members: readonly QuorumServerConfig[]): void {
    this.listen(members).catch((error: Error) => this.options.onWarning(error.message));
  }

  send(link: number, bytes: Buffer): void {
    this.links.get(link)?.send(bytes);
  }

  sendSnapshot(effect: Extract<QuorumEffect, { kind: 'link-snapshot' }>): void {
    this.links.get(effect.link)?.sendSnapshot(effect);
  }

  /** Packets that are read bit by bit. */
  sendTxns(link: number, packets: AsyncIterable<Buffer>): void {
    this.links.get(link)?.sendTxns(packets);
  }

  /** Behind what was sent. */
  closeLink(link: number): void {
    this.calls.get(link)?.abort();
    this.calls.delete(link);
    this.links.get(link)?.close();
    this.links.delete(link);
  }

  dial({ link, addresses, timeoutMs }: Extract<QuorumEffect, { kind: 'link-dial' }>): void {
    const call = new AbortController();
    this.calls.set(link, call);
    this.connect({ addresses, timeoutMs }, call.signal).then(
      (socket) => {
        if (call.signal.aborted) {
          socket.destroy();
          return;
        }
        this.calls.delete(link);
        this.open(link, socket);
      },
      (error: Error) => {
        if (call.signal.aborted) return;
        this.calls.delete(link);
        this.options.step({ kind: 'link-closed', link, reason: error.message });
      },
    );
  }

  private async connect(
    { addresses, timeoutMs }: Pick<DialOptions, 'addresses' | 'timeoutMs'>,
    signal: AbortSignal,
  ): Promise<Socket> {
    const socket = await dial({ addresses, timeoutMs, transport: this.transport, signal });
    await this.options.auth?.prove(socket, timeoutMs);
    return socket;
  }

  close(): void {
    this.isClosed = true;
    this.listener.close();
    this.transport.close();
    for (const call of this.calls.values()) call.abort();
    for (const link of this.links.values()) link.close();
    for (const socket of [...this.arriving, ...this.sockets]) socket.destroy();
  }

  private accept(socket: Socket): void {
    // Whatever went wrong, 'close' follows.
    socket.on('error', () => undefined);
    const isFull = this.sockets.size + this.arriving.size >= MAX_LINKS;
    if (isFull) this.seldom.say(`quorum port: over ${MAX_LINKS} connections at a time`, 'crowd');
    if (this.isClosed || isFull) {
      socket.destroy();
      return;
    }
    const { greetingTimeoutMs } = this.options;
    const timer = setTimeout(() => socket.destroy(), greetingTimeoutMs);
    this.arriving.add(socket);
    socket.once('close', () => {
      clearTimeout(timer);
      this.arriving.delete(socket);
    });
    this.transport.take(socket, (ready) =>
      this.authenticate(ready, () => {
        this.arriving.delete(socket);
        const id = this.nextLink++;
        const link = this.open(id, ready);
        clearTimeout(timer);
        const silence = setTimeout(
          () => link.fail(`it said nothing for ${greetingTimeoutMs} ms`),
          greetingTimeoutMs,
        );
        ready.once('data', () => clearTimeout(silence));
        ready.once('close', () => clearTimeout(silence));
      }),
    );
  }

  private authenticate(socket: Socket, accept: () => void): void {
    const { auth = null } = this.options;
    if (auth === null) {
      accept();
      return;
    }
    auth.check(socket, Buffer.alloc(0)).then(accept, (error: Error) => {
      this.seldom.say(`quorum port: ${error.message}`);
    });
  }

  private open(id: number, socket: Socket): QuorumLink {
    const { step, maxWaitingBytes } = this.options;
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    const { remoteAddress = '', remotePort = 0 } = socket;
    step({ kind: 'link-opened', link: id, remote: `${plainIp(remoteAddress)}:${remotePort}` });
    const link = new QuorumLink({
      socket,
      ...(maxWaitingBytes === undefined ? {} : { maxWaitingBytes }),
      onBytes: (bytes) => step({ kind: 'link-received', link: id, bytes }),
      onClosed: (reason) => {
        this.links.delete(id);
        step({ kind: 'link-closed', link: id, reason });
      },
    });
    this.links.set(id, link);
    // What authenticated is paused.
    socket.resume();
    return link;
  }
}
