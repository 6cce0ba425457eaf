/** The sockets of clients: received bytes become events, effects become sent bytes. */
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Event } from '../../events.js';
import { LIMITS, type LimitName } from '../../limits/limits.js';
import { ClosingSockets, type ClosingSocketsOptions } from '../sockets/closing-sockets.js';
import { plainIp } from '../sockets/listen.js';
import { MovableListener, type Place } from '../sockets/movable-listener.js';
import { addressOf } from '../sockets/remote-name.js';
import { sliceWriter } from '../sockets/slice-writer.js';

/** Above this, the server stops reading from a client that does not read its answers. */
const PAUSE_ABOVE_BYTES = LIMITS.unreadBytesToPause.value;
/** Above this, it closes the connection: watch events are sent without a request. */
const CLOSE_ABOVE_BYTES = LIMITS.unreadBytes.value;
const ALL_ABOVE_BYTES = LIMITS.unreadBytesInAll.value;
/** Bytes to read from all clients in one turn: more would delay the disk and other clients. */
const TURN_BYTES = 512 * 1024;

export interface ClientPortOptions {
  readonly backlog: number;
  /** clientTcpKeepAlive; default: false. */
  readonly isKeptAlive?: boolean;
  readonly step: (event: Event) => void;
  readonly onWarning: (message: string) => void;
  readonly closing?: Omit<ClosingSocketsOptions, 'onLimit'>;
  /** Default LIMITS.unreadBytesInAll. */
  readonly maxUnreadBytes?: number;
  /** Detects whether a client uses TLS; without it, none does. */
  readonly takeEither?: (socket: Socket, acceptPlain: (socket: Socket) => void) => void;
}

interface Client {
  readonly socket: Socket;
  /** Bytes unread by the client at the last check. */
  unread: number;
  /** The longest write since it had read everything: one may be longer than any limit. */
  longest: number;
  isHeld: boolean;
  isSlow: boolean;
  /** It used up its share of this turn. */
  isResting: boolean;
  /** The server waits until it has read everything. */
  isAwaited: boolean;
}

export type ClientOutput = Pick<
  ClientPort,
  'send' | 'close' | 'finish' | 'hold' | 'release' | 'awaitReading'
>;

export class ClientPort {
  /** Closes every new connection at once, for tests of clients. */
  isRefusing = false;
  private readonly options: ClientPortOptions;
  private readonly listener: MovableListener;
  /** By connection, until it is closed. */
  private readonly clients = new Map<number, Client>();
  /** Includes those that are closing. */
  private readonly all = new Set<Client>();
  private readonly closing: ClosingSockets;
  private readonly finishing = new Set<Socket>();
  /** The last known total of bytes that clients have not read. */
  private unread = 0;
  private isClosed = false;
  /** The number of the next connection. */
  private nextId = 1;
  /** Bytes read from all clients in this turn. */
  private turnBytes = 0;
  /** Those that are not read until the next turn. */
  private resting: Client[] = [];
  private readonly endTurn = (): void => {
    const { resting } = this;
    this.turnBytes = 0;
    this.resting = [];
    for (const client of resting) {
      client.isResting = false;
      resumeReading(client);
    }
  };

  constructor(options: ClientPortOptions) {
    this.options = options;
    this.closing = new ClosingSockets({ ...options.closing, onLimit: this.onLimit });
    const { takeEither, backlog, onWarning } = options;
    const acceptPlain = (socket: Socket): void => this.accept(socket);
    this.listener = new MovableListener({
      whom: 'clients',
      tries: 1,
      backlog,
      // A script may half-close before the answer to a word is sent.
      allowHalfOpen: true,
      isForClients: true,
      onLimit: this.onLimit,
      accept: takeEither === undefined ? acceptPlain : (socket) => takeEither(socket, acceptPlain),
      onWarning,
    });
  }

  /** -1 without a plain port. */
  get port(): number {
    return this.listener.port;
  }

  /** Null closes the port. Clients stay. @throws ServerError EBIND: the old place stays in use */
  async move(place: Place | null): Promise<void> {
    await this.listener.move(place === null ? [] : [place]);
  }

  send(id: number, bytes: Buffer): void {
    const client = this.clients.get(id);
    if (client === undefined || client.socket.destroyed) return;
    client.longest = Math.max(client.longest, bytes.length);
    client.socket.write(bytes);
    const { writableLength } = client.socket;
    this.measure(client);
    if (writableLength - client.longest > CLOSE_ABOVE_BYTES) {
      this.onLimit('unreadBytes', addressOf(client.socket));
      client.socket.destroy();
    } else if (writableLength > PAUSE_ABOVE_BYTES && !client.isSlow) {
      client.isSlow = true;
      client.socket.pause();
      this.onLimit('unreadBytesToPause', addressOf(client.socket));
    }
    if (this.isFull(0)) this.makeRoom();
  }

  /** @param longest the one write that does not count */
  private isFull(longest: number): boolean {
    return this.unread - longest > (this.options.maxUnreadBytes ?? ALL_ABOVE_BYTES);
  }

  private measure(client: Client): void {
    // A destroyed socket holds no memory that counts.
    const writableLength = client.socket.destroyed ? 0 : client.socket.writableLength;
    this.unread += writableLength - client.unread;
    client.unread = writableLength;
  }

  /** Closes the client with the most unread bytes if the total is still too large. */
  private makeRoom(): void {
    let most: Client | undefined;
    for (const client of this.all) {
      this.measure(client);
      if (client.unread > (most?.unread ?? 0)) most = client;
    }
    if (most === undefined || !this.isFull(most.longest)) return;
    this.onLimit('unreadBytesInAll', addressOf(most.socket));
    most.socket.destroy();
  }

  private readonly onLimit = (limit: LimitName, from: string, value?: number): void => {
    const { step } = this.options;
    step({ kind: 'limit-exceeded', limit, from, ...(value === undefined ? {} : { value }) });
  };

  /** Closes after the rest of a long answer, unless the client stops reading it. */
  finish(id: number, slices: Iterator<string>): void {
    const client = this.clients.get(id);
    if (client === undefined) return;
    const { socket } = client;
    this.clients.delete(id);
    this.finishing.add(socket);
    socket.once('close', () => this.finishing.delete(socket));
    socket.setTimeout(this.options.closing?.closingTimeMs ?? LIMITS.closingTime.value, () => {
      this.onLimit('closingTime', addressOf(socket));
      socket.destroy();
    });
    sliceWriter.write(socket, slices, (error) => {
      if (error === undefined) this.closing.add(socket);
      else {
        this.options.onWarning(`the answer to a four-letter word ends early: ${error}`);
        socket.destroy();
      }
    });
  }

  /** Closes after pending output. */
  close(id: number): void {
    const client = this.clients.get(id);
    if (client === undefined) return;
    this.clients.delete(id);
    this.closing.add(client.socket);
  }

  hold(id: number): void {
    const client = this.clients.get(id);
    if (client === undefined) return;
    client.isHeld = true;
    client.socket.pause();
  }

  release(id: number): void {
    const client = this.clients.get(id);
    if (client === undefined) return;
    client.isHeld = false;
    resumeReading(client);
  }

  awaitReading(id: number): void {
    const client = this.clients.get(id);
    if (client === undefined) return;
    client.isAwaited = true;
    client.socket.pause();
    if (!client.socket.writableNeedDrain) setImmediate(() => this.drained(id, client));
  }

  private drained(id: number, client: Client): void {
    client.isSlow = false;
    client.longest = 0;
    if (client.isAwaited) {
      client.isAwaited = false;
      this.options.step({ kind: 'drained', connection: id });
    }
    resumeReading(client);
  }

  async shutDown(): Promise<void> {
    this.isClosed = true;
    this.listener.close();
    const sockets = [...this.clients.values()].map(({ socket }) => socket);
    this.closing.shutDown([...sockets, ...this.finishing]);
    this.clients.clear();
    await this.listener.ended();
  }

  /** Closes these connections after their pending output. */
  closeClients(isChosen: (isOverTls: boolean) => boolean): void {
    for (const [id, { socket }] of this.clients) {
      if (isChosen(socket instanceof TLSSocket)) this.close(id);
    }
  }

  /** Drops pending output. */
  destroy(id: number): void {
    this.clients.get(id)?.socket.resetAndDestroy();
  }

  /** @param certificateSubject RFC 2253, of a client with a certificate over TLS */
  accept(socket: Socket, certificateSubject?: string): void {
    const { step } = this.options;
    if (this.isClosed || this.isRefusing) {
      socket.destroy();
      return;
    }
    if (this.options.isKeptAlive === true) socket.setKeepAlive(true);
    const id = this.nextId++;
    const client: Client = { socket, unread: 0, longest: 0, ...NOT_PAUSED };
    this.clients.set(id, client);
    this.all.add(client);
    socket.on('data', (bytes) => {
      this.limitTurn(client, bytes.length);
      step({ kind: 'received', connection: id, bytes });
    });
    socket.on('drain', () => this.drained(id, client));
    // The answer to data before the FIN is sent at the end of this turn.
    socket.on('end', () => setImmediate(() => this.closing.add(socket)));
    // 'close' follows every error.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.clients.delete(id);
      this.all.delete(client);
      this.unread -= client.unread;
      step({ kind: 'disconnected', connection: id });
    });
    step({
      kind: 'connected',
      connection: id,
      remoteIp: plainIp(socket.remoteAddress ?? ''),
      remotePort: socket.remotePort ?? 0,
      isOverTls: socket instanceof TLSSocket,
      ...(certificateSubject === undefined ? {} : { certificateSubject }),
    });
  }

  private limitTurn(client: Client, length: number): void {
    if (this.turnBytes === 0) setImmediate(this.endTurn);
    this.turnBytes += length;
    if (this.turnBytes <= TURN_BYTES || client.isResting) return;
    client.isResting = true;
    client.socket.pause();
    this.resting.push(client);
  }
}

const NOT_PAUSED = { isHeld: false, isSlow: false, isResting: false, isAwaited: false };

function resumeReading({ socket, isHeld, isSlow, isResting, isAwaited }: Client): void {
  if (!isHeld && !isSlow && !isResting && !isAwaited) socket.resume();
}
