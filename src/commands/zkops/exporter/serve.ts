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
/** Of the answers of all connections that are made and not read. */
const MAX_UNREAD_BYTES = 256 * 1024 * 1024;
/** For the whole answer, from its end on: a slow reader must not keep the place of another. */
const READ_MS = 60_000;

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
  serveConnections(server, MAX_CONNECTIONS, (request, response) =>
    answer(request, response, scrape),
  );
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

interface Connection {
  /** The one below TLS. */
  readonly socket: Socket;
  /** With the deadlines of those that are made: a timer keeps unread bytes in memory. */
  readonly responses: Map<ServerResponse, NodeJS.Timeout | undefined>;
}

/**
 * Beyond `most` connections, a new one replaces the oldest one without a request. So connections
 * that send nothing, or only a part of a head, never keep out others. Closes a connection with too
 * many requests, of which Node.js would read any number before it sends the first answer, one that
 * does not read an answer in `readMs`, and, beyond MAX_UNREAD_BYTES, the one with the most unread.
 */
export function serveConnections(
  server: Server,
  most: number,
  serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  readMs = READ_MS,
): void {
  /** By remote address and port, the oldest first. */
  const connections = new Map<string, Connection>();
  const nameOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;
  server.on('connection', (socket: Socket) => {
    const name = nameOf(socket);
    const connection: Connection = { socket, responses: new Map() };
    connections.set(name, connection);
    socket.once('close', () => {
      for (const deadline of connection.responses.values()) clearTimeout(deadline);
      if (connections.get(name) === connection) connections.delete(name);
    });
    if (connections.size <= most) return;
    // The new one itself, if all others have requests.
    const [gone] = [...connections].find(([, { responses }]) => responses.size === 0) ?? [name];
    connections.get(gone)?.socket.destroy();
    connections.delete(gone);
  });
  server.on('request', (request, response) => {
    const { socket } = request;
    const connection = connections.get(nameOf(socket));
    if (socket.destroyed || connection === undefined) return;
    const { responses } = connection;
    responses.set(response, undefined);
    response.once('close', () => {
      clearTimeout(responses.get(response));
      responses.delete(response);
    });
    if (responses.size > MAX_REQUESTS) {
      socket.destroy();
      return;
    }
    const answered = serve(request, response).then(() => {
      // A stream of events never ends.
      if (response.writableEnded && !response.closed && !socket.destroyed) {
        responses.set(response, setTimeout(() => socket.destroy(), readMs).unref());
      }
      limitUnread([...connections.values()]);
    });
    inBackground(answered, () => response.destroy());
  });
}

function unreadBytes({ responses }: Connection): number {
  return [...responses.keys()].reduce((sum, { writableLength }) => sum + writableLength, 0);
}

function limitUnread(connections: readonly Connection[]): void {
  const unread = connections.map((connection) => ({ connection, bytes: unreadBytes(connection) }));
  const total = unread.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= MAX_UNREAD_BYTES) return;
  unread
    .reduce((one, other) => (other.bytes > one.bytes ? other : one))
    .connection.socket.destroy();
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
