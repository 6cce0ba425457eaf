import { createHash } from 'node:crypto';
import { createServer as createPlain, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecure } from 'node:https';
import type { AddressInfo } from 'node:net';
import { ExitCode } from '../commands/program/exit-status.js';
import { closeServer, listen, serveConnections } from '../commands/zkops/exporter/serve.js';
import type { Gate } from './gate.js';
import type { PageFile } from './page-files.js';
import { HttpProblem, problemOf } from './problem.js';
import {
  API,
  type ApiAnswer,
  type Found,
  findRoutes,
  MAX_VALUE_LENGTH,
  type Route,
} from './route.js';
import type { Services } from './services.js';

const LIMITS = { headerBytes: 16 * 1024, headersMs: 10_000, requestMs: 30_000, connections: 256 };

const SECURITY_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; " +
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;

export interface HttpOptions {
  readonly host: string;
  readonly port: number;
  /** With `ca`, clients may log in by a certificate of it. */
  readonly tls: { readonly cert: Buffer; readonly key: Buffer; readonly ca?: Buffer } | undefined;
  readonly gate: Gate;
  readonly routes: readonly Route[];
  /** Null without logins. */
  readonly servicesOf: (user: string | null) => Services;
  readonly allowsWrites: boolean;
  readonly pageFiles: ReadonlyMap<string, PageFile>;
  /** Writes one JSON line per requested change. */
  readonly audit: (entry: Readonly<Record<string, unknown>>) => void;
}

export interface Endpoint {
  readonly url: string;
  close(): Promise<void>;
}

/** @throws CommandError if it cannot listen on the address */
export async function serve(options: HttpOptions): Promise<Endpoint> {
  const { host, port, tls } = options;
  const settings = { maxHeaderSize: LIMITS.headerBytes };
  const server =
    tls === undefined
      ? createPlain(settings)
      : createSecure({ ...settings, ...secureSettings(tls) });
  server.headersTimeout = LIMITS.headersMs;
  server.requestTimeout = LIMITS.requestMs;
  serveConnections(server, LIMITS.connections, (request, response) =>
    answer(request, response, options),
  );
  await listen(server, { host, port });
  const { port: actual } = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${name}:${actual}/`,
    close: () => closeServer(server),
  };
}

/** The gate, not the handshake, refuses a login without a certificate: others may log in too. */
function secureSettings(tls: NonNullable<HttpOptions['tls']>) {
  const hasCertificates = tls.ca !== undefined;
  const asks = { requestCert: hasCertificates, rejectUnauthorized: false };
  return { ...tls, ...asks, minVersion: 'TLSv1.2' } as const;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: HttpOptions,
): Promise<void> {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
  const isHead = request.method === 'HEAD';
  try {
    const found = await respond(request, response, options);
    if (found === undefined) return;
    const { value, status = 200, headers = {} } = found;
    send(response, status, { 'content-type': 'application/json', ...headers }, value, isHead);
  } catch (error) {
    const problem = problemOf(error);
    const type = 'application/problem+json';
    const headers = { 'content-type': type, connection: 'close', ...problem.options.headers };
    if (response.headersSent) response.destroy();
    else send(response, problem.status, headers, problem.toJson(), isHead);
  }
}

function send(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  value: unknown,
  isHead: boolean,
): void {
  // Nobody can read it, and Node.js would keep it as long as another request of the connection.
  if (response.req.socket?.destroyed !== false) return;
  const text = JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? String(one) : one));
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) });
  response.end(isHead ? undefined : text);
}

/** Undefined after a written response or a stream. @throws HttpProblem and others */
async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  options: HttpOptions,
): Promise<ApiAnswer<unknown> | undefined> {
  const { gate, routes, pageFiles } = options;
  const [path = '/', query = ''] = (request.url ?? '/').split(/\?(.*)/s);
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  gate.check(request);
  const found = path.startsWith(API) ? findRoutes(routes, path) : [];
  // HEAD of a stream would never end.
  const isHead = request.method === 'HEAD';
  const own = found.find(
    ({ route }) => route.method === method && (!isHead || route.answer !== undefined),
  );
  const user = own?.route.isOpen === true ? null : await gate.login(request);
  const file = method === 'GET' ? pageFiles.get(path) : undefined;
  if (file !== undefined) {
    response.writeHead(200, { 'content-type': file.type, 'content-length': file.bytes.length });
    response.end(isHead ? undefined : file.bytes);
    return undefined;
  }
  if (own === undefined) throw noRoute(path, found);
  const params = new URLSearchParams(query);
  if (method === 'GET') {
    const call = { request, response, body: Buffer.alloc(0), note: () => undefined };
    return atOnce(own.route, () =>
      own.route.carryOut(options.servicesOf(user), own.inPath, params, call),
    );
  }
  return audited({ request, user, own, params }, options, async (note) => {
    if (!options.allowsWrites && own.route.isChange !== false) {
      throw new HttpProblem(403, 'READONLY', 'the console is read-only', {
        exitCode: ExitCode.noAuth,
        hint: 'start it with --allow-writes',
      });
    }
    const answered = await atOnce(own.route, async () => {
      const body = await readBody(request, own.route.maxBodyLength ?? MAX_VALUE_LENGTH);
      if (own.route.takes?.includes('bytes') === true) {
        note({ bytes: body.length, sha256: createHash('sha256').update(body).digest('hex') });
      }
      const call = { request, response, body, note };
      return own.route.carryOut(options.servicesOf(user), own.inPath, params, call);
    });
    const { status = 200 } = own.route;
    return answered === undefined ? undefined : { status, ...answered };
  });
}

function atOnce<T>({ atOnce: limit }: Route, work: () => Promise<T>): Promise<T> {
  return limit === undefined ? work() : limit.run(work);
}

function noRoute(path: string, found: readonly { readonly route: Route }[]): HttpProblem {
  if (found.length === 0) {
    return new HttpProblem(404, 'UNKNOWN', `${path}: nothing is here`, {
      exitCode: ExitCode.usage,
    });
  }
  const allow = found.map(({ route }) => route.method).join(', ');
  return new HttpProblem(405, 'USAGE', `the methods of ${path} are ${allow}`, {
    exitCode: ExitCode.usage,
    headers: { allow },
  });
}

type Note = (facts: Readonly<Record<string, unknown>>) => void;

interface Change {
  readonly request: IncomingMessage;
  readonly user: string | null;
  readonly own: Found;
  readonly params: URLSearchParams;
}

async function audited(
  { request, user, own, params }: Change,
  { audit }: HttpOptions,
  work: (note: Note) => Promise<ApiAnswer<unknown> | undefined>,
): Promise<ApiAnswer<unknown> | undefined> {
  // A destroyed request has no socket.
  const address = request.socket.remoteAddress ?? null;
  const noted: Record<string, unknown> = {};
  const log = (status: number, code: string): void =>
    audit({
      time: new Date().toISOString(),
      user,
      address,
      method: request.method,
      route: own.route.path,
      ...own.inPath,
      path: params.get('path'),
      count: params.get('count') ?? undefined,
      ifMatch: request.headers['if-match'],
      ...noted,
      status,
      code,
    });
  try {
    const answered = await work((facts) => Object.assign(noted, facts));
    log(answered?.status ?? 200, 'OK');
    return answered;
  } catch (error) {
    const { status, code } = problemOf(error);
    log(status, code);
    throw error;
  }
}

/** Does not read the rest of a long body: the response closes the connection. */
function readBody(request: IncomingMessage, maxLength: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= maxLength) {
        chunks.push(chunk);
        return;
      }
      request.pause();
      const detail = `the body is longer than ${maxLength} bytes`;
      reject(new HttpProblem(413, 'TOOLARGE', detail, { exitCode: ExitCode.usage }));
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', reject);
  });
}
