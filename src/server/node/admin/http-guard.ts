/** Limits an HTTP port. A new connection replaces the oldest idle one, so an operator gets in. */
import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { LIMITS, type LimitName } from '../../limits/limits.js';
import { fileBudget } from '../sockets/file-budget.js';
import { keyOf } from '../sockets/pending-sockets.js';
import { addressOf } from '../sockets/remote-name.js';

export interface HttpLimits {
  readonly maxConnections?: number;
  readonly headerTimeMs?: number;
  readonly bodyTimeMs?: number;
  readonly transferTimeMs?: number;
}

interface Connection {
  /** The accepted socket, below TLS. */
  readonly socket: Socket;
  open: number;
  /** Resolves when all requests so far are answered. */
  answered: Promise<void>;
  /** Of the requests. A timer keeps alive all that Node.js has read from the connection. */
  readonly timers: Map<IncomingMessage, NodeJS.Timeout>;
}

export function guardOptions({ headerTimeMs = LIMITS.httpHeaderTime.value }: HttpLimits) {
  return {
    headersTimeout: headerTimeMs,
    // A tree may take long to arrive: the guard has the deadline of a body.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(headerTimeMs / 4, 1000),
    maxHeaderSize: LIMITS.httpHeaderBytes.value,
  };
}

const HEADER_ERRORS: Readonly<Record<string, { limit: LimitName; status: string }>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { limit: 'httpHeaderTime', status: '408 Request Timeout' },
  HPE_HEADER_OVERFLOW: {
    limit: 'httpHeaderBytes',
    status: '431 Request Header Fields Too Large',
  },
};

export class HttpGuard {
  private readonly limits: HttpLimits;
  private readonly onLimit: (limit: LimitName, from: string, value?: number) => void;
  /** Oldest first. */
  private readonly connections = new Map<string, Connection>();

  /** @param onLimit gets the address of the client */
  constructor(
    server: HttpServer,
    limits: HttpLimits,
    onLimit: (limit: LimitName, from: string, value?: number) => void,
  ) {
    this.limits = limits;
    this.onLimit = onLimit;
    server.prependListener('connection', (socket: Socket) => this.add(socket));
    server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
      this.refuse(error, socket as Socket),
    );
  }

  /**
   * Resolves when the requests before it are answered, or else answers that wait for each other
   * would fill the memory. Undefined for a request without an answer: its connection is closed, or
   * has too many.
   */
  begin(request: IncomingMessage, response: ServerResponse): Promise<void> | undefined {
    const { socket } = request;
    // Node.js still hands over all requests that came in the same piece.
    if (socket.destroyed) return undefined;
    const connection = this.connections.get(keyOf(socket));
    if (connection === undefined) return undefined;
    connection.open++;
    // Node.js would read any number of them before it sends the first answer.
    if (connection.open > LIMITS.httpRequests.value) {
      this.onLimit('httpRequests', addressOf(socket));
      socket.destroy();
      return undefined;
    }
    const { bodyTimeMs = LIMITS.httpBodyTime.value } = this.limits;
    this.setDeadline(request, 'httpBodyTime', bodyTimeMs);
    const turn = connection.answered;
    connection.answered = new Promise((resolve) => {
      response.once('close', () => {
        connection.open--;
        // A request with a body in progress keeps its deadline.
        if (request.complete || isGone(request)) endTimer(connection, request);
        resolve();
      });
    });
    return turn;
  }

  allowTransfer(request: IncomingMessage): void {
    const { transferTimeMs = LIMITS.httpTransferTime.value } = this.limits;
    this.setDeadline(request, 'httpTransferTime', transferTimeMs);
  }

  private setDeadline(request: IncomingMessage, limit: LimitName, ms: number): void {
    const connection = isGone(request) ? undefined : this.connections.get(keyOf(request.socket));
    if (connection === undefined) return;
    endTimer(connection, request);
    const timer = setTimeout(() => {
      connection.timers.delete(request);
      if (isGone(request)) return;
      this.onLimit(limit, addressOf(request.socket));
      request.socket.destroy();
    }, ms);
    connection.timers.set(request, timer.unref());
  }

  private add(socket: Socket): void {
    if (!fileBudget.take(socket, false)) {
      this.onLimit('reservedFiles', addressOf(socket), fileBudget.reserved);
      socket.destroy();
      return;
    }
    const key = keyOf(socket);
    const { maxConnections = LIMITS.httpConnections.value } = this.limits;
    if (this.connections.size >= maxConnections) {
      this.onLimit('httpConnections', addressOf(socket));
      const idle = [...this.connections].find(([, { open }]) => open === 0);
      const [gone, connection] = idle ?? [key, { socket }];
      this.connections.delete(gone);
      connection.socket.destroy();
      if (idle === undefined) return;
    }
    const answered = Promise.resolve();
    const connection: Connection = { socket, open: 0, answered, timers: new Map() };
    this.connections.set(key, connection);
    socket.once('close', () => {
      for (const timer of connection.timers.values()) clearTimeout(timer);
      if (this.connections.get(key) === connection) this.connections.delete(key);
    });
  }

  private refuse({ code = '' }: NodeJS.ErrnoException, socket: Socket): void {
    const { limit, status } = HEADER_ERRORS[code] ?? { status: '400 Bad Request' };
    if (limit !== undefined) this.onLimit(limit, addressOf(socket));
    const isAnswering = (this.connections.get(keyOf(socket))?.open ?? 0) > 0;
    if (!socket.writable || isAnswering) socket.destroy();
    else socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`, () => socket.destroy());
  }
}

function endTimer({ timers }: Connection, request: IncomingMessage): void {
  clearTimeout(timers.get(request));
  timers.delete(request);
}

/** Node.js removes the socket of a finished request, in spite of its type. */
export function isGone({ socket }: { readonly socket: Socket | null }): boolean {
  return socket === null || socket.destroyed;
}
