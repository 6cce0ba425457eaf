import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { usageError } from '../../program/command-error.js';
import { inBackground } from '../../program/in-background.js';

const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
const MAX_HEADER_SIZE = 16 * 1024;
const HEADERS_TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 100;
/** Of a connection, at once. */
const MAX_REQUESTS = 16;

export interface MetricsEndpoint {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves /metrics. @throws CommandError when it cannot listen on the address */
export async function serveMetrics(
  address: { readonly host: string; readonly port: number },
  scrape: () => Promise<string>,
): Promise<MetricsEndpoint> {
  const server = createServer({ maxHeaderSize: MAX_HEADER_SIZE });
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = HEADERS_TIMEOUT_MS;
  serveConnections(server, MAX_CONNECTIONS, (request, response) => {
    inBackground(answer(request, response, scrape), () => response.destroy());
  });
  await listen(server, address);
  const { port } = server.address() as AddressInfo;
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return {
    url: `http://${host}:${port}/metrics`,
    close: () => closeServer(server),
  };
}

/** @throws CommandError when the address of --listen is not available */
export function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const message = `--listen ${host}:${port}: cannot listen: ${cause.message}`;
      reject(usageError(message));
    });
    // Without a host, Node.js takes IPv4 alone where IPv6 is disabled.
    server.listen(port, host === '::' ? undefined : host, resolve);
  });
}

/**
 * Beyond `most` connections, a new one replaces the oldest one without a request. So connections
 * that send nothing, or only a part of a head, never keep out others. Closes a connection with too
 * many requests, of which Node.js would read any number before it sends the first answer.
 */
export function serveConnections(
  server: Server,
  most: number,
  serve: (request: IncomingMessage, response: ServerResponse) => void,
): void {
  /** By remote address and port, the oldest first. The socket is the one below TLS. */
  const connections = new Map<string, { readonly socket: Socket; requests: number }>();
  const nameOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;
  server.on('connection', (socket: Socket) => {
    const name = nameOf(socket);
    const connection = { socket, requests: 0 };
    connections.set(name, connection);
    socket.once('close', () => {
      if (connections.get(name) === connection) connections.delete(name);
    });
    if (connections.size <= most) return;
    // The new one itself, if all others have requests.
    const [gone] = [...connections].find(([, { requests }]) => requests === 0) ?? [name];
    connections.get(gone)?.socket.destroy();
    connections.delete(gone);
  });
  server.on('request', (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const connection = connections.get(nameOf(socket));
    if (connection !== undefined) {
      connection.requests++;
      response.once('close', () => connection.requests--);
      if (connection.requests > MAX_REQUESTS) {
        socket.destroy();
        return;
      }
    }
    serve(request, response);
  });
}

/** Ends open connections, too. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  scrape: () => Promise<string>,
): Promise<void> {
  const send = (status: number, type: string, text: string): void => {
    response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) });
    response.end(request.method === 'HEAD' ? undefined : text);
  };
  const plain = 'text/plain; charset=utf-8';
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    send(405, plain, 'GET only\n');
    return;
  }
  const path = request.url?.replace(/\?.*/s, '');
  if (path === '/-/healthy') send(200, plain, 'the exporter runs\n');
  else if (path === '/') send(200, plain, 'zkops exporter: the metrics are at /metrics\n');
  else if (path !== '/metrics') send(404, plain, 'not found: the metrics are at /metrics\n');
  else {
    try {
      send(200, CONTENT_TYPE, await scrape());
    } catch (error) {
      send(500, plain, `${error instanceof Error ? error.message : String(error)}\n`);
    }
  }
}
