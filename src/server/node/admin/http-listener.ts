import { once } from 'node:events';
import {
  createServer,
  type Server as HttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { SecureContextOptions } from 'node:tls';
import { isLastSlice, slicesOf } from '../../../fourlw/base/slices.js';
import type { LimitName } from '../../limits/limits.js';
import { sliceWriter } from '../sockets/slice-writer.js';
import { HttpGate, type HttpTls } from './http-gate.js';
import { guardOptions, HttpGuard, type HttpLimits, isGone } from './http-guard.js';

/** For one day, as Apache's: browsers use TLS from then on. */
export const HSTS = ['Strict-Transport-Security', 'max-age=86400; includeSubDomains'] as const;

export interface HttpListenerOptions {
  readonly host: string;
  readonly port: number;
  /** Closes connections that are silent for this long; 0 or less disables it. */
  readonly idleTimeoutMs: number;
  readonly tls?: HttpTls;
  readonly limits?: HttpLimits;
  readonly onLimit: (limit: LimitName, from: string, value?: number) => void;
  /** May throw: then the answer has status 500, and the server continues. */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
}

export class HttpListener {
  private readonly options: HttpListenerOptions;
  private readonly server: HttpServer;
  private readonly gate: HttpGate | null;
  private readonly guard: HttpGuard;

  constructor(options: HttpListenerOptions) {
    this.options = options;
    const { limits = {}, onLimit } = options;
    this.server = createServer(guardOptions(limits), (request, response) => {
      const turn = this.guard.begin(request, response);
      if (turn === undefined) return;
      this.answer(turn, request, response).catch((error: Error) => fail(response, error));
    });
    const idleMs = Math.max(0, options.idleTimeoutMs);
    this.server.keepAliveTimeout = idleMs;
    this.server.timeout = idleMs;
    this.gate = options.tls === undefined ? null : new HttpGate(this.server, options.tls, onLimit);
    // Runs before other listeners, also for TLS.
    this.guard = new HttpGuard(this.server, limits, onLimit);
  }

  /** Requests that arrive together must not take one long turn. */
  private async answer(
    turn: Promise<void>,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    await turn;
    // The response of a later request in the connection does not notice its end.
    const isWanted = await sliceWriter.turnCame(() => !response.destroyed && !isGone(request));
    if (isWanted) await this.options.answer(request, response);
  }

  get port(): number {
    const address = this.server.address();
    return address === null || typeof address === 'string' ? 0 : address.port;
  }

  /** Rejects with the error of the socket when the port is not available. */
  async listen(): Promise<void> {
    const { host, port } = this.options;
    this.server.listen({ host, port });
    await once(this.server, 'listening');
  }

  allowTransfer(request: IncomingMessage): void {
    this.guard.allowTransfer(request);
  }

  subjectOf({ socket }: IncomingMessage): string | undefined {
    return this.gate?.subjectOf(socket);
  }

  /** Certificates for later handshakes; has no effect without TLS. */
  reload(context: SecureContextOptions): void {
    this.gate?.reload(context);
  }

  async close(): Promise<void> {
    if (!this.server.listening) return;
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeAllConnections();
    this.gate?.close();
    await closed;
  }
}

export interface PiecesToSend {
  readonly status: number;
  readonly contentType: string;
  readonly pieces: Iterable<string>;
  readonly headers: Readonly<Record<string, string>>;
  readonly onLong: () => void;
}

export function send(
  response: ServerResponse,
  status: number,
  contentType: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const bytes = Buffer.from(body, 'utf8');
  response.writeHead(status, {
    'Content-Type': contentType,
    'Content-Length': bytes.length,
    'Cache-Control': 'no-store',
    ...headers,
  });
  response.end(response.req.method === 'HEAD' ? undefined : bytes);
}

/**
 * Sends a text that may be long, and is made while it is sent.
 * @param onLong called before it is sent in slices
 */
export function sendPieces(
  response: ServerResponse,
  { status, contentType, pieces, headers, onLong }: PiecesToSend,
): void {
  const slices = slicesOf(pieces);
  const first = slices.next().value ?? '';
  const isHead = response.req.method === 'HEAD';
  if (isLastSlice(first)) {
    send(response, status, contentType, first, headers);
    return;
  }
  onLong();
  response.writeHead(status, {
    'Content-Type': contentType,
    'Cache-Control': 'no-store',
    ...headers,
  });
  if (isHead) {
    response.end();
    return;
  }
  response.write(first);
  sliceWriter.write(response, slices, (error) => {
    if (error === undefined) response.end();
    else response.destroy();
  });
}

function fail(response: ServerResponse, error: Error): void {
  if (response.headersSent) response.destroy();
  else send(response, 500, 'text/plain; charset=utf-8', `${error.message}\n`);
}
