/** The sockets of clients: bytes in become events, effects become bytes out. */
import { createServer, type Server as NetServer, type Socket } from 'node:net';
import type { Event } from '../events.js';
import { ExitCode, ServerError } from './errors.js';

/** A client that does not read what it asked for is not read any further above this, */
const PAUSE_ABOVE_BYTES = 1024 * 1024;
/** and is let go above this: watch events come without being asked for. */
const CLOSE_ABOVE_BYTES = 64 * 1024 * 1024;
const DEFAULT_BACKLOG = 50;

export interface ClientPortOptions {
  readonly host: string | undefined;
  /** 0 takes a free one. */
  readonly port: number;
  readonly backlog: number;
  readonly step: (event: Event) => void;
}

interface Client {
  readonly socket: Socket;
  /** The server asked for a pause. */
  isHeld: boolean;
  /** It reads too slowly. */
  isSlow: boolean;
}

export class ClientPort {
  private readonly options: ClientPortOptions;
  private readonly listener: NetServer;
  private readonly clients = new Map<number, Client>();
  private nextId = 1;

  constructor(options: ClientPortOptions) {
    this.options = options;
    // A script may close its half before the answer to a word has left.
    this.listener = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      this.accept(socket),
    );
  }

  get port(): number {
    const address = this.listener.address();
    return address === null || typeof address === 'string' ? 0 : address.port;
  }

  /** @throws ServerError EBIND */
  listen(): Promise<void> {
    const { host, port, backlog } = this.options;
    return new Promise((resolve, reject) => {
      this.listener.once('error', (cause: NodeJS.ErrnoException) => {
        const place = `${host ?? '0.0.0.0'}:${port}`;
        const why = cause.code === 'EADDRINUSE' ? 'another process listens there' : cause.message;
        const message = `cannot listen for clients on ${place}: ${why}`;
        reject(new ServerError('EBIND', ExitCode.BIND, message, cause));
      });
      this.listener.listen(
        {
          port,
          backlog: backlog > 0 ? backlog : DEFAULT_BACKLOG,
          ...(host === undefined ? {} : { host }),
        },
        resolve,
      );
    });
  }

  send(id: number, bytes: Buffer): void {
    const client = this.clients.get(id);
    if (client === undefined) return;
    client.socket.write(bytes);
    const { writableLength } = client.socket;
    if (writableLength > CLOSE_ABOVE_BYTES) {
      client.socket.destroy();
    } else if (writableLength > PAUSE_ABOVE_BYTES && !client.isSlow) {
      client.isSlow = true;
      client.socket.pause();
    }
  }

  /** Behind what was sent. */
  close(id: number): void {
    const client = this.clients.get(id);
    if (client === undefined) return;
    this.clients.delete(id);
    client.socket.destroySoon();
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
    if (!client.isSlow) client.socket.resume();
  }

  async shutDown(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.listener.close(() => resolve()));
    for (const { socket } of this.clients.values()) socket.destroySoon();
    this.clients.clear();
    await closed;
  }

  private accept(socket: Socket): void {
    const { step } = this.options;
    const id = this.nextId++;
    const client: Client = { socket, isHeld: false, isSlow: false };
    this.clients.set(id, client);
    socket.on('data', (bytes) => step({ kind: 'received', connection: id, bytes }));
    socket.on('drain', () => {
      client.isSlow = false;
      if (!client.isHeld) socket.resume();
    });
    // The answer to what came with the FIN leaves at the end of this turn.
    socket.on('end', () => setImmediate(() => socket.destroySoon()));
    // Whatever went wrong, 'close' follows.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.clients.delete(id);
      step({ kind: 'disconnected', connection: id });
    });
    step({
      kind: 'connected',
      connection: id,
      remoteIp: plainIp(socket.remoteAddress ?? ''),
      remotePort: socket.remotePort ?? 0,
    });
  }
}

/** An IPv4 client of a socket that takes both shows as ::ffff:a.b.c.d. */
function plainIp(address: string): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address;
}
