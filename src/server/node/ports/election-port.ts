/**
 * The election connections between servers (QuorumCnxManager): received frames become events,
 * effects become sent frames. A connection from a stranger closes only its own socket.
 */
import type { Socket } from 'node:net';
import type { QuorumServerConfig } from '../../config/config-ensemble.js';
import type { Event } from '../../events.js';
import { LIMITS, type LimitName } from '../../limits/limits.js';
import {
  encodePreamble,
  type HostPort,
  NAMELESS,
  type Preamble,
  readPreamble,
} from '../../quorum/wire/election-preamble.js';
import { encodeProbe } from '../../quorum/wire/notification.js';
import { RateLimitedWarnings } from '../log/rate-limited-warnings.js';
import { reportLimit } from '../log/report-limit.js';
import { dial, PLAIN, type Transport } from '../sockets/dial.js';
import { MovableListener, placesOf } from '../sockets/movable-listener.js';
import { addressOf } from '../sockets/remote-name.js';
import { ELECTION_WAITS, ElectionPeer } from './election-peer.js';
import type { QuorumAuth } from './quorum-auth.js';

export interface ElectionPortOptions {
  readonly sid: number;
  /** cnxTimeout: for a connect. */
  readonly connectTimeoutMs: number;
  /** For the preamble on an incoming connection. */
  readonly greetingTimeoutMs: number;
  /** quorumListenOnAllIPs */
  readonly isEverywhere: boolean;
  /** multiAddress.enabled */
  readonly isMultiAddress: boolean;
  readonly isKeptAlive: boolean;
  /** electionPortBindRetry */
  readonly bindTries: number;
  readonly transport?: Transport;
  /** quorum.auth.enableSasl */
  readonly auth?: QuorumAuth | null;
  readonly waits?: typeof ELECTION_WAITS;
  readonly step: (event: Event) => void;
  readonly onWarning: (message: string) => void;
}

/** Sockets without a preamble; one more replaces the oldest. */
const MAX_PENDING = LIMITS.electionGreetings.value;
/** Servers that are not members: a joining one connects before it is a member. */
const MAX_STRANGERS = LIMITS.electionStrangers.value;

export class ElectionPort {
  private readonly options: ElectionPortOptions;
  private readonly transport: Transport;
  private readonly listener: MovableListener;
  private readonly warnings: RateLimitedWarnings;
  private readonly peers = new Map<number, ElectionPeer>();
  private readonly pending = new Set<Socket>();
  private members: ReadonlySet<number> = new Set();
  /** Stays after this server has left, because others dial back there. */
  private ownAddresses: readonly HostPort[] = [];
  private nextNameless = -1;
  private isClosed = false;

  constructor(options: ElectionPortOptions) {
    this.options = options;
    this.transport = options.transport ?? PLAIN;
    this.warnings = new RateLimitedWarnings(options.onWarning);
    this.listener = new MovableListener({
      whom: 'elections',
      tries: options.bindTries,
      isForClients: false,
      onLimit: (limit, from, value) => this.onLimit(limit, from, value),
      accept: (socket) => this.accept(socket),
      onWarning: options.onWarning,
    });
  }

  async listen(members: readonly QuorumServerConfig[]): Promise<void> {
    this.learn(members, []);
    await this.listener.move(placesOf(this.ownAddresses, this.options.isEverywhere));
  }

  /**
   * Connects to these servers from now on; the addresses of this server may change, too.
   * @param proposed lines that may come into force: their servers vote on that, at either address
   */
  setMembers(
    members: readonly QuorumServerConfig[],
    proposed: readonly QuorumServerConfig[] = [],
  ): void {
    this.learn(members, proposed);
    this.listener
      .move(placesOf(this.ownAddresses, this.options.isEverywhere))
      .catch((error: Error) => this.options.onWarning(error.message));
  }

  notify(sid: number, frame: Buffer): void {
    const peer = this.peers.get(sid);
    if (peer !== undefined) peer.notify(frame);
    else this.warnings.say(`server ${sid}: no vote sent: not a member`, `notify ${sid}`);
  }

  close(): void {
    this.isClosed = true;
    this.listener.close();
    this.transport.close();
    for (const socket of this.pending) socket.destroy();
    for (const peer of this.peers.values()) peer.close();
    this.peers.clear();
  }

  private learn(
    members: readonly QuorumServerConfig[],
    proposed: readonly QuorumServerConfig[],
  ): void {
    const { sid: ownSid } = this.options;
    const own = members.find(({ sid }) => sid === ownSid);
    if (own !== undefined) this.ownAddresses = electionAddresses([own]);
    this.members = new Set([...members, ...proposed].map(({ sid }) => sid));
    this.options.auth?.setHosts([...members, ...proposed].flatMap(hostsOf));
    for (const [sid, peer] of this.peers) {
      if (this.members.has(sid)) continue;
      this.peers.delete(sid);
      peer.close();
    }
    for (const sid of this.members) {
      if (sid === ownSid) continue;
      const peer = this.peers.get(sid) ?? this.addPeer(sid);
      peer.addresses = electionAddresses(
        [...members, ...proposed].filter((member) => member.sid === sid),
      );
    }
  }

  private addPeer(sid: number): ElectionPeer {
    const { sid: own, isMultiAddress, isKeptAlive, connectTimeoutMs, auth, step } = this.options;
    const { transport } = this;
    const peer = new ElectionPeer({
      sid,
      isMember: () => this.members.has(sid),
      isDialer: own > sid,
      dial: async (addresses, signal) => {
        const socket = await dial({ addresses, timeoutMs: connectTimeoutMs, transport, signal });
        const preamble = { sid: own, addresses: this.ownAddresses };
        socket.write(encodePreamble(preamble, isMultiAddress));
        await auth
          ?.prove(socket, connectTimeoutMs, addresses[0]?.host ?? '')
          .catch((error: Error) => {
            reportLimit(step, error, addresses[0]?.host ?? '');
            throw error;
          });
        return socket.setKeepAlive(isKeptAlive);
      },
      waits: this.options.waits ?? ELECTION_WAITS,
      probe: encodeProbe(own),
      onFrame: (frame) => step({ kind: 'notified', sid, frame }),
      onWarning: (message) => this.warnings.say(message),
      onLimit: this.onLimit,
      onIdle: () => {
        if (!this.members.has(sid) && this.peers.get(sid) === peer) this.peers.delete(sid);
      },
    });
    this.peers.set(sid, peer);
    return peer;
  }

  private readonly onLimit = (limit: LimitName, from: string, value?: number): void => {
    const own = value === undefined ? {} : { value };
    this.options.step({ kind: 'limit-exceeded', limit, from, ...own });
  };

  private accept(socket: Socket): void {
    socket.on('error', () => undefined);
    if (this.isClosed) {
      socket.destroy();
      return;
    }
    if (this.pending.size >= MAX_PENDING) {
      const [oldest] = this.pending;
      this.onLimit('electionGreetings', addressOf(oldest ?? null));
      oldest?.destroy();
    }
    this.pending.add(socket);
    const from = addressOf(socket);
    const { greetingTimeoutMs } = this.options;
    const timer = setTimeout(() => {
      this.onLimit('electionGreetingTime', from, greetingTimeoutMs);
      socket.destroy();
    }, greetingTimeoutMs);
    const settle = (): void => {
      clearTimeout(timer);
      this.pending.delete(socket);
    };
    socket.once('close', settle);
    this.transport.take(socket, (ready) => this.awaitPreamble(ready, settle));
  }

  private awaitPreamble(socket: Socket, settle: () => void): void {
    const from = addressOf(socket);
    let bytes: Buffer = Buffer.alloc(0);
    const read = (chunk: Buffer): void => {
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
      const result = readPreamble(bytes);
      if (result.kind === 'need-more') return;
      socket.off('data', read);
      if (result.kind === 'preamble') {
        this.authenticate(socket, bytes.subarray(result.length), (rest) => {
          settle();
          this.greet(socket, result.preamble, rest);
        });
      } else {
        settle();
        if (result.limit !== undefined) this.onLimit(result.limit, from);
        this.warnings.say(`election port: ${from}: not a server: ${result.reason}`, 'preamble');
        socket.destroy();
      }
    };
    socket.on('data', read);
  }

  private authenticate(socket: Socket, rest: Buffer, accept: (rest: Buffer) => void): void {
    const { auth = null } = this.options;
    if (auth === null) {
      accept(rest);
      return;
    }
    const from = addressOf(socket);
    auth.check(socket, rest).then(
      () => accept(Buffer.alloc(0)),
      (error: Error) => {
        reportLimit(this.options.step, error, from);
        this.warnings.say(`election port: ${error.message}`);
      },
    );
  }

  private greet(socket: Socket, { sid, addresses }: Preamble, rest: Buffer): void {
    const { sid: own, isKeptAlive } = this.options;
    if (sid === own) {
      const message = `election port: ${addressOf(socket)}: has the id of this server: ${sid}. Check the file myid of both`;
      this.warnings.say(message, 'equal sid');
      socket.destroy();
      return;
    }
    const id = sid === NAMELESS ? this.nextNameless-- : sid;
    const peer = this.peers.get(id) ?? this.addStranger(id, addressOf(socket));
    if (peer === undefined) {
      socket.destroy();
    } else if (id > own) {
      peer.claimed(socket.setKeepAlive(isKeptAlive), rest);
    } else {
      socket.destroy();
      peer.dialRequested(addresses);
    }
  }

  private addStranger(sid: number, from: string): ElectionPeer | undefined {
    const strangers = [...this.peers].filter(([known]) => !this.members.has(known));
    if (strangers.length >= MAX_STRANGERS) {
      const unused = strangers.find(([, { isConnected }]) => !isConnected);
      if (unused === undefined) {
        this.onLimit('electionStrangers', from);
        return undefined;
      }
      this.peers.delete(unused[0]);
      unused[1].close();
    }
    this.warnings.say(
      `server ${sid}: not a member, so it cannot take part in an election`,
      `sid ${sid}`,
    );
    return this.addPeer(sid);
  }
}

/** The addresses in the lines of one server, each once. */
function hostsOf({ addresses }: QuorumServerConfig): string[] {
  return addresses.map(({ host }) => host);
}

function electionAddresses(lines: readonly QuorumServerConfig[]): HostPort[] {
  const places = new Map<string, HostPort>();
  for (const { host, electionPort: port } of lines.flatMap(({ addresses }) => addresses)) {
    places.set(`${host} ${port}`, { host, port });
  }
  return [...places.values()];
}
