import type { Socket } from 'node:net';
import type { QuorumServerConfig } from '../../config/config-ensemble.js';
import type { QuorumEffect } from '../../effects.js';
import type { Event } from '../../events.js';
import { LIMITS, type LimitName } from '../../limits/limits.js';
import { RateLimitedWarnings } from '../log/rate-limited-warnings.js';
import { reportLimit } from '../log/report-limit.js';
import { type DialOptions, dial, PLAIN, type Transport } from '../sockets/dial.js';
import { MovableListener, placesOf } from '../sockets/movable-listener.js';
import { addressOf, nameOf } from '../sockets/remote-name.js';
import type { QuorumAuth } from './quorum-auth.js';
import { QuorumLink, type QuorumLinkOptions } from './quorum-link.js';

/** The connections between a leader and its learners. An observer master has a second port. */

export interface QuorumPortOptions {
  readonly sid: number;
  readonly greetingTimeoutMs: number;
  readonly isEverywhere: boolean;
  readonly bindTries: number;
  /** observerMasterPort; default: null, no such port. */
  readonly observerPort?: number | null;
  readonly transport?: Transport;
  readonly auth?: QuorumAuth | null;
  readonly maxUnprovenBytes?: number;
  readonly linkLimits?: Pick<QuorumLinkOptions, 'maxWaitingBytes' | 'fullBytes' | 'closingTimeMs'>;
  readonly maxLinks?: number;
  readonly maxSilent?: number;
  readonly step: (event: Event) => void;
  readonly onWarning: (message: string) => void;
}

/** Incoming connections per port; more are refused. */
const MAX_LINKS = LIMITS.quorumLinks.value;
/** Those that have sent nothing; one more replaces the oldest. */
const MAX_SILENT = LIMITS.quorumGreetings.value;

interface Port {
  readonly name: string;
  readonly isForObservers: boolean;
  readonly listener: MovableListener;
  readonly sockets: Set<Socket>;
  /** Closes those that have sent nothing, oldest first. */
  readonly silent: Map<Socket, (reason: string) => void>;
}

export class QuorumPort {
  private readonly options: QuorumPortOptions;
  private readonly transport: Transport;
  private readonly servers: Port;
  private readonly observers: Port;
  /** Those of the last `listen` that named this server. */
  private members: readonly QuorumServerConfig[] = [];
  private isObserverPortOpen = false;
  private readonly warnings: RateLimitedWarnings;
  /** By number, until they are closed. */
  private readonly links = new Map<number, QuorumLink>();
  private readonly unproven: UnprovenLinks;
  /** Dials under way, by link. */
  private readonly calls = new Map<number, AbortController>();
  /** Dialed connections that are closing but still send. */
  private readonly dialed = new Set<Socket>();
  /** Of accepted links; those that this server dials are negative. */
  private nextLink = 1;
  private isClosed = false;

  constructor(options: QuorumPortOptions) {
    this.options = options;
    this.transport = options.transport ?? PLAIN;
    this.warnings = new RateLimitedWarnings(options.onWarning);
    this.unproven = new UnprovenLinks(
      (from) => options.step({ kind: 'limit-exceeded', limit: 'unprovenUnreadBytes', from }),
      options.maxUnprovenBytes,
    );
    this.servers = this.makePort('quorum port', 'the other servers', false);
    this.observers = this.makePort('observer master port', 'observers', true);
  }

  private makePort(name: string, whom: string, isForObservers: boolean): Port {
    const { bindTries: tries, step, onWarning } = this.options;
    const onLimit = (limit: LimitName, from: string, value: number): void =>
      step({ kind: 'limit-exceeded', limit, from, value });
    const listener = new MovableListener({
      whom,
      tries,
      isForClients: false,
      onLimit,
      accept: (socket) => this.accept(port, socket),
      onWarning,
    });
    const fixed = { name, isForObservers, listener };
    const port: Port = { ...fixed, sockets: new Set(), silent: new Map() };
    return port;
  }

  async listen(members: readonly QuorumServerConfig[]): Promise<void> {
    // A server that is not a member stays at its address, where it may be added again.
    if (!members.some(({ sid }) => sid === this.options.sid)) return;
    this.members = members;
    await this.move(this.servers, ({ quorumPort }) => quorumPort);
  }

  /** May also move the ports of this server. */
  setMembers(members: readonly QuorumServerConfig[]): void {
    this.listen(members).catch((error: Error) => this.options.onWarning(error.message));
    if (this.isObserverPortOpen) this.setObserverPort(true);
  }

  /** Opens or closes the port for observers. A failure to listen does not stop the server. */
  setObserverPort(isOpen: boolean): void {
    const { observerPort = null, onWarning } = this.options;
    this.isObserverPortOpen = isOpen && observerPort !== null;
    this.move(this.observers, () => (this.isObserverPortOpen ? observerPort : null)).catch(
      (error: Error) => onWarning(error.message),
    );
  }

  private async move(
    { listener }: Port,
    portOf: (address: QuorumServerConfig['addresses'][number]) => number | null,
  ): Promise<void> {
    const own = this.members.find(({ sid }) => sid === this.options.sid);
    const places = (own?.addresses ?? []).flatMap((address) => {
      const port = portOf(address);
      return port === null ? [] : [{ host: address.host, port }];
    });
    await listener.move(placesOf(places, this.options.isEverywhere));
  }

  send(link: number, bytes: Buffer): void {
    this.links.get(link)?.send(bytes);
    this.unproven.sent(link);
  }

  sendSnapshot(effect: Extract<QuorumEffect, { kind: 'link-snapshot' }>): void {
    this.links.get(effect.link)?.sendSnapshot(effect);
  }

  sendTxns(link: number, packets: AsyncIterable<Buffer>): void {
    this.links.get(link)?.sendTxns(packets);
  }

  /** The learner on this link is in sync. */
  proveLink(link: number): void {
    this.unproven.delete(link);
    this.links.get(link)?.prove();
  }

  holdLink(link: number, isHeld: boolean): void {
    this.links.get(link)?.hold(isHeld);
  }

  closeLink(link: number): void {
    this.calls.get(link)?.abort();
    this.calls.delete(link);
    this.links.get(link)?.close();
    this.links.delete(link);
    this.unproven.delete(link);
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
        this.dialed.add(socket);
        socket.once('close', () => this.dialed.delete(socket));
        this.open(link, socket, null);
      },
      (error: Error) => {
        if (call.signal.aborted) return;
        this.calls.delete(link);
        reportLimit(this.options.step, error, addresses[0]?.host ?? '');
        this.options.step({ kind: 'link-closed', link, reason: error.message });
      },
    );
  }

  private async connect(
    { addresses, timeoutMs }: Pick<DialOptions, 'addresses' | 'timeoutMs'>,
    signal: AbortSignal,
  ): Promise<Socket> {
    const socket = await dial({ addresses, timeoutMs, transport: this.transport, signal });
    await this.options.auth?.prove(socket, timeoutMs, addresses[0]?.host ?? '');
    return socket;
  }

  close(): void {
    this.isClosed = true;
    for (const { listener } of [this.servers, this.observers]) listener.close();
    this.transport.close();
    for (const call of this.calls.values()) call.abort();
    for (const link of this.links.values()) link.close();
    for (const { sockets } of [this.servers, this.observers]) {
      for (const socket of sockets) socket.destroy();
    }
    for (const socket of this.dialed) socket.destroy();
  }

  private accept(port: Port, socket: Socket): void {
    socket.on('error', () => undefined);
    if (this.isClosed || !this.makeRoom(port, addressOf(socket))) {
      socket.destroy();
      return;
    }
    const { sockets, silent } = port;
    const { greetingTimeoutMs: value } = this.options;
    // One timeout for TLS, authentication, and the first bytes of a packet.
    const from = addressOf(socket);
    const timer = setTimeout(() => {
      this.options.step({ kind: 'limit-exceeded', limit: 'quorumGreetingTime', from, value });
      silent.get(socket)?.(`it said nothing for ${value} ms`);
    }, value);
    sockets.add(socket);
    silent.set(socket, () => socket.destroy());
    const endGreeting = (): void => {
      clearTimeout(timer);
      silent.delete(socket);
    };
    socket.once('close', () => {
      endGreeting();
      sockets.delete(socket);
    });
    this.transport.take(socket, (ready) =>
      this.authenticate(port, ready, () => {
        const link = this.open(this.nextLink++, ready, port);
        silent.set(socket, (reason) => link.fail(reason));
        ready.once('data', endGreeting);
      }),
    );
  }

  /** False if the port is full. Silent connections must not keep a member out. */
  private makeRoom({ name, sockets, silent }: Port, from: string): boolean {
    const { maxLinks = MAX_LINKS, maxSilent = MAX_SILENT, step } = this.options;
    const [oldest] = silent;
    if (oldest !== undefined && silent.size >= maxSilent) {
      const [socket, fail] = oldest;
      sockets.delete(socket);
      silent.delete(socket);
      fail(`silent: the oldest of ${maxSilent} silent connections`);
      step({ kind: 'limit-exceeded', limit: 'quorumGreetings', from, value: maxSilent });
    }
    if (sockets.size < maxLinks) return true;
    // Nor must a connection that was closed here and does not hang up.
    for (const socket of sockets) {
      if (!socket.writableEnded) continue;
      sockets.delete(socket);
      socket.destroy();
      return true;
    }
    this.warnings.say(`${name}: over ${maxLinks} connections at a time`, `crowd ${name}`);
    step({ kind: 'limit-exceeded', limit: 'quorumLinks', from, value: maxLinks });
    return false;
  }

  private authenticate({ name }: Port, socket: Socket, accept: () => void): void {
    const { auth = null } = this.options;
    if (auth === null) {
      accept();
      return;
    }
    const from = addressOf(socket);
    auth.check(socket, Buffer.alloc(0)).then(accept, (error: Error) => {
      reportLimit(this.options.step, error, from);
      this.warnings.say(`${name}: ${error.message}`);
    });
  }

  /** @param port null for a dialed connection */
  private open(id: number, socket: Socket, port: Port | null): QuorumLink {
    const { step, linkLimits } = this.options;
    const from = addressOf(socket);
    const remote = nameOf(socket);
    const by = port?.isForObservers === true ? { isObserverPort: true } : {};
    step({ kind: 'link-opened', link: id, remote, ...by });
    const link = new QuorumLink({
      socket,
      ...linkLimits,
      onBytes: (bytes) => step({ kind: 'link-received', link: id, bytes }),
      onSnapshotSent: () => step({ kind: 'snapshot-sent', link: id }),
      ...(port === null
        ? {}
        : { onOutput: (state) => step({ kind: 'link-output', link: id, state }) }),
      onLimit: (limit, value) => step({ kind: 'limit-exceeded', limit, from, value }),
      onClosed: (reason) => {
        this.links.delete(id);
        this.unproven.delete(id);
        step({ kind: 'link-closed', link: id, reason });
      },
    });
    this.links.set(id, link);
    // A dialed server is this server's leader.
    if (port !== null) this.unproven.add(id, link, from);
    // An authenticated socket is paused.
    socket.resume();
    return link;
  }
}

// Limits the total of unread bytes of links that are not in sync. One link may lag far during a
// snapshot, but many that never read must not fill the memory.

interface Unproven {
  readonly link: QuorumLink;
  readonly from: string;
  /** In bytes, at the last measurement. */
  unread: number;
}

class UnprovenLinks {
  private readonly links = new Map<number, Unproven>();
  private readonly maxBytes: number;
  private readonly onExceeded: (from: string) => void;
  /** The sum of those of `links`. */
  private unread = 0;

  /** @param onExceeded gets the address of the closed link */
  constructor(onExceeded: (from: string) => void, maxBytes = LIMITS.unprovenUnreadBytes.value) {
    this.onExceeded = onExceeded;
    this.maxBytes = maxBytes;
  }

  add(id: number, link: QuorumLink, from: string): void {
    this.links.set(id, { link, from, unread: 0 });
  }

  delete(id: number): void {
    const one = this.links.get(id);
    if (one === undefined) return;
    this.unread -= one.unread;
    this.links.delete(id);
  }

  /** Called after sending. Above the limit, closes the link with the most unread bytes. */
  sent(id: number): void {
    const one = this.links.get(id);
    if (one === undefined) return;
    this.measure(one);
    if (this.unread <= this.maxBytes) return;
    let most: readonly [number, Unproven] | undefined;
    for (const entry of this.links) {
      this.measure(entry[1]);
      if (most === undefined || entry[1].unread > most[1].unread) most = entry;
    }
    // Enough may have been read since the last measurement.
    if (most === undefined || this.unread <= this.maxBytes) return;
    const [worst, { link, from }] = most;
    this.delete(worst);
    this.onExceeded(from);
    link.fail(
      `links that are not in sync have over ${this.maxBytes} unread bytes, most of them on this link`,
    );
  }

  private measure(one: Unproven): void {
    const { unsent } = one.link;
    this.unread += unsent - one.unread;
    one.unread = unsent;
  }
}
