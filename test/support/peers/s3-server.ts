// An S3 store on the loopback interface. It shares no code with the project: it verifies signatures
// as AWS describes them, and knows conditional writes and faults, which s3rver ignores or lacks.

import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export const ACCESS_KEY = 'AKIDTESTTESTTEST';
export const SECRET_KEY = 'secret/of+the-store';

/** A status to answer with, or no answer: `lost` after the request was done. */
export type S3Fault = number | 'reset' | 'lost' | 'silence' | undefined;

export interface S3Server {
  readonly url: string;
  /** By bucket and key: `bucket/prefix/log.1`. */
  readonly objects: Map<string, Buffer>;
  /** Method, and bucket with key, of each request. */
  readonly requests: string[];
  faultOf: (method: string, path: string) => S3Fault;
  hasConditions: boolean;
  close(): Promise<void>;
  listen(port: number): Promise<void>;
  readonly port: number;
}

const PAGE = 3;

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');
const hmac = (key: Buffer | string, text: string) =>
  createHmac('sha256', key).update(text).digest();
const escaped = (text: string) =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );

interface Refusal {
  readonly status: number;
  readonly code: string;
}

const NO_KEY: Refusal = { status: 404, code: 'NoSuchKey' };

function signatureFault(request: IncomingMessage, url: URL, body: Buffer): Refusal | undefined {
  const { authorization = '' } = request.headers;
  const found =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([\w-]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=(\w+)$/.exec(
      authorization,
    );
  const [, keyId, day = '', region = '', names = '', signature] = found ?? [];
  if (keyId !== ACCESS_KEY) return { status: 403, code: 'InvalidAccessKeyId' };
  const header = (name: string) => String(request.headers[name] ?? '');
  const query = [...url.searchParams]
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .sort()
    .join('&');
  const path = decodeURIComponent(url.pathname).split('/').map(escaped).join('/');
  const hash = header('x-amz-content-sha256');
  const headers = names.split(';').map((name) => `${name}:${header(name).trim()}\n`);
  const canonical = [request.method, path, query, headers.join(''), names, hash].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', header('x-amz-date'), scope, sha256(canonical)].join('\n');
  const key = hmac(hmac(hmac(hmac(`AWS4${SECRET_KEY}`, day), region), 's3'), 'aws4_request');
  if (hmac(key, text).toString('hex') !== signature) {
    return { status: 403, code: 'SignatureDoesNotMatch' };
  }
  if (hash === 'UNSIGNED-PAYLOAD' || hash === sha256(body)) return undefined;
  return { status: 400, code: 'XAmzContentSHA256Mismatch' };
}

interface Answer {
  readonly status: number;
  readonly etag?: string;
  readonly body?: Buffer | string;
}

/** A real store repeats such things, which no error of a client may show. */
function refusalOf({ status, code }: Refusal): Answer {
  const body = `<Error><Code>${code}</Code><AWSAccessKeyId>${ACCESS_KEY}</AWSAccessKeyId><StringToSign>${SECRET_KEY}</StringToSign></Error>`;
  return { status, body };
}

const tagOf = (bytes: Buffer) => `"${createHash('md5').update(bytes).digest('hex')}"`;

function put(server: S3Server, request: IncomingMessage, path: string, body: Buffer): Answer {
  const before = server.objects.get(path);
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers;
  if (server.hasConditions) {
    const failed = refusalOf({ status: 412, code: 'PreconditionFailed' });
    if (ifNoneMatch === '*' && before !== undefined) return failed;
    if (ifMatch !== undefined && before === undefined) return refusalOf(NO_KEY);
    if (ifMatch !== undefined && before !== undefined && ifMatch !== tagOf(before)) return failed;
  }
  server.objects.set(path, body);
  return { status: 200, etag: tagOf(body) };
}

function list(server: S3Server, bucket: string, url: URL): string {
  const prefix = `${bucket}/${url.searchParams.get('prefix') ?? ''}`;
  const after = url.searchParams.get('continuation-token') ?? '';
  const keys = [...server.objects.keys()].filter((key) => key.startsWith(prefix)).sort();
  const rest = keys.filter((key) => key > after);
  const page = rest.slice(0, PAGE);
  const last = page.at(-1);
  const next = rest.length > PAGE ? `<NextContinuationToken>${last}</NextContinuationToken>` : '';
  const contents = page.map(
    (key) => `<Contents><Key>${key.slice(bucket.length + 1)}</Key></Contents>`,
  );
  return `<ListBucketResult>${next}${contents.join('')}</ListBucketResult>`;
}

function answerTo(server: S3Server, request: IncomingMessage, url: URL, body: Buffer): Answer {
  const refusal = signatureFault(request, url, body);
  if (refusal !== undefined) return refusalOf(refusal);
  const path = decodeURIComponent(url.pathname.slice(1));
  const bucket = path.split('/')[0] ?? '';
  if (bucket !== 'bucket') return refusalOf({ status: 404, code: 'NoSuchBucket' });
  if (url.searchParams.has('list-type')) return { status: 200, body: list(server, bucket, url) };
  if (request.method === 'PUT') return put(server, request, path, body);
  const found = server.objects.get(path);
  if (request.method === 'DELETE') {
    server.objects.delete(path);
    return { status: 204 };
  }
  if (found === undefined) return refusalOf(NO_KEY);
  return { status: 200, etag: tagOf(found), body: found };
}

function serve(
  server: S3Server,
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
): void {
  const url = new URL(request.url ?? '/', server.url);
  const path = decodeURIComponent(url.pathname.slice(1));
  const { method = '' } = request;
  server.requests.push(`${method} ${path}`);
  const fault = server.faultOf(method, path);
  if (fault === 'silence') return;
  if (fault === 'reset') {
    request.socket.destroy();
    return;
  }
  const answer =
    typeof fault !== 'number'
      ? answerTo(server, request, url, body)
      : refusalOf({ status: fault, code: 'InternalError' });
  if (fault === 'lost') {
    request.socket.destroy();
    return;
  }
  response.writeHead(answer.status, answer.etag === undefined ? {} : { etag: answer.etag });
  response.end(answer.body);
}

/** With the bucket `bucket`. */
export async function startS3(): Promise<S3Server> {
  const http = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    serve(server, request, response, Buffer.concat(chunks));
  });
  let port = 0;
  const server: S3Server = {
    get url() {
      return `http://127.0.0.1:${port}`;
    },
    get port() {
      return port;
    },
    objects: new Map(),
    requests: [],
    faultOf: () => undefined,
    hasConditions: true,
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
    listen: (wanted) =>
      new Promise((resolve) => {
        http.listen(wanted, '127.0.0.1', () => {
          const address = http.address();
          if (typeof address === 'object' && address !== null) port = address.port;
          resolve();
        });
      }),
  };
  await server.listen(0);
  return server;
}
