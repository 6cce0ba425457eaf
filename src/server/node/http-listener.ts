/** The two HTTP ports of a server: how they listen, answer and end. */
import {
  createServer,
  type Server as HttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { HttpGate, type HttpTls } from './http-gate.js';

export interface HttpListenerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Connections that are silent for so long are closed; 0 or less is never. */
  readonly idleTimeoutMs: number;
  /** May throw: the answer is a status of 500 then, and the server serves on. */
  /** Default: it speaks without TLS. */
  readonly tls?: HttpTls;
  readonly answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
}

export class HttpListener {
  private readonly options: HttpListenerOptions;
  private readonly server: HttpServer;
  private readonly gate: HttpGate | null;

  constructor(options: HttpListenerOptions) {
    this.options = options;
    this.server = createServer((request, response) => {
      options.answer(request, response).catch((error: Error) => fail(response, error));
    });
    const idleMs = Math.max(0, options.idleTimeoutMs);
    this.server.keepAliveTimeout = idleMs;
    this.server.timeout = idleMs;
    // A snapshot may take long to come; who sends nothing is closed all the same.
    this.server.requestTimeout = 0;
    this.gate = options.tls === undefined ? null : new HttpGate(this.server, options.tls);
  }

  get port(): number {
    const address = this.server.address();
    return address === null || typeof address === 'string' ? 0 : address.port;
  }

  /** Rejects with the error of the socket when the port cannot be had. */
  listen(): Promise<void> {
    const { host, port } = this.options;
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen({ host, port }, () => {
        this.server.off('error', reject);
        resolve();
      });
    });
  }

  /** Of the certificate that a client showed over TLS. */
  subjectOf({ socket }: IncomingMessage): string | undefined {
    return this.gate?.subjectOf(socket);
  }

  async close(): Promise<void> {
    if (!this.server.listening) return;
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeAllConnections();
    this.gate?.close();
    await closed;
  }
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

function fail(response: ServerResponse, error: Error): void {
  if (response.headersSent) response.destroy();
  else send(response, 500, 'text/plain; charset=utf-8', `${error.message}\n`);
}
