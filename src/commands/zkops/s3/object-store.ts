// The requests to a bucket. No error has more of a response than its status and its code, because a
// response may repeat what only the owner of the credentials may know.

import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
// Only the signature: it includes the hash of the body, and the requests stay ours.
import { AwsClient } from 'aws4fetch';
import { CommandError } from '../../program/command-error.js';
import { VERDICT_STATUS } from '../../program/exit-status.js';
import type { S3Place, S3Settings } from './s3-place.js';

const TIMEOUT_MS = 20_000;
/** The slowest rate of a body: 100 KB/s. */
const MIN_BYTES_PER_MS = 100;
const MAX_ANSWER = 4 * 1024 * 1024;
const TRIES = 5;
const FIRST_PAUSE_MS = 250;

/** A request that the store did not answer as it should. */
export class StoreFault extends CommandError {
  readonly isTransient: boolean;

  constructor(text: string, isTransient: boolean) {
    super(text, { code: 'ERUN', exitCode: VERDICT_STATUS.unknown });
    this.isTransient = isTransient;
  }
}

export interface StoredObject {
  readonly bytes: Buffer;
  readonly etag: string;
}

/** The condition of a put: the object does not exist, or still has this tag. */
export type Condition = { readonly ifNoneMatch: '*' } | { readonly ifMatch: string };

interface Answer {
  readonly status: number;
  readonly code: string;
  readonly etag: string;
  readonly bytes: Buffer;
}

interface Query {
  readonly method: string;
  readonly key: string;
  readonly search?: string;
  readonly body?: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly maxBytes?: number;
}

export function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export class ObjectStore {
  readonly place: S3Place;
  private readonly settings: S3Settings;
  private readonly client: AwsClient;
  private readonly signal: AbortSignal;
  private readonly timeoutMs: number;

  constructor(place: S3Place, settings: S3Settings, signal: AbortSignal, timeoutMs = TIMEOUT_MS) {
    const { region, accessKeyId, secretAccessKey, sessionToken } = settings;
    this.place = place;
    this.settings = settings;
    this.signal = signal;
    this.timeoutMs = timeoutMs;
    const token = sessionToken === undefined ? {} : { sessionToken };
    const keys = { accessKeyId, secretAccessKey, ...token };
    this.client = new AwsClient({ ...keys, region, service: 's3', retries: 0 });
  }

  /** The same store for requests that end with another signal. */
  with(signal: AbortSignal): ObjectStore {
    return new ObjectStore(this.place, this.settings, signal, this.timeoutMs);
  }

  /** Undefined without such an object; `too long` tells that it has more than `maxBytes`. */
  async get(key: string, maxBytes: number): Promise<StoredObject | 'too long' | undefined> {
    const answer = await this.ask({ method: 'GET', key, maxBytes });
    if (answer.status === 404 && answer.code === 'NoSuchKey') return undefined;
    if (answer.status !== 200) throw this.faultOf('read', key, answer);
    return answer.bytes.length > maxBytes ? 'too long' : answer;
  }

  /**
   * The store verifies the body by its SHA-256.
   * @returns its tag, or false if the condition fails
   */
  async put(key: string, body: Buffer, condition?: Condition): Promise<string | false> {
    const headers: Record<string, string> = { 'x-amz-content-sha256': sha256Of(body) };
    if (condition !== undefined && 'ifMatch' in condition) headers['if-match'] = condition.ifMatch;
    else if (condition !== undefined) headers['if-none-match'] = condition.ifNoneMatch;
    const answer = await this.ask({ method: 'PUT', key, body, headers });
    const isGone = answer.status === 404 && answer.code === 'NoSuchKey';
    if (condition !== undefined && (answer.status === 412 || isGone)) return false;
    if (answer.status !== 200) throw this.faultOf('write', key, answer);
    return answer.etag;
  }

  async remove(key: string): Promise<void> {
    const answer = await this.ask({ method: 'DELETE', key });
    const isGone = answer.status === 404 && answer.code === 'NoSuchKey';
    if (answer.status > 299 && !isGone) throw this.faultOf('remove', key, answer);
  }

  /** Keys of the place, without its prefix. */
  async list(): Promise<string[]> {
    const { prefix } = this.place;
    const keys: string[] = [];
    for (let token: string | undefined = ''; token !== undefined; ) {
      const after = token === '' ? '' : `continuation-token=${encodeURIComponent(token)}&`;
      const search = `?${after}list-type=2&prefix=${encodeURIComponent(prefix)}`;
      const answer: Answer = await this.patiently(() =>
        this.ask({ method: 'GET', key: '', search }),
      );
      if (answer.status !== 200) throw this.faultOf('list', '', answer);
      const text = answer.bytes.toString('utf8');
      for (const [, key = ''] of text.matchAll(/<Key>([^<]*)<\/Key>/g)) {
        if (key.startsWith(prefix)) keys.push(key.slice(prefix.length));
      }
      const next = /<NextContinuationToken>([^<]+)<\/NextContinuationToken>/.exec(text)?.[1];
      token = next?.replaceAll('&quot;', '"').replaceAll('&amp;', '&');
    }
    return keys;
  }

  /** Repeats what failed for a reason that may pass, some seconds long. */
  async patiently<Value>(work: () => Promise<Value>): Promise<Value> {
    for (let tries = 1; ; tries++) {
      try {
        return await work();
      } catch (error) {
        const mayPass = error instanceof StoreFault && error.isTransient;
        if (!mayPass || tries === TRIES) throw error;
        await delay(FIRST_PAUSE_MS * 2 ** (tries - 1), undefined, { signal: this.signal });
      }
    }
  }

  private async ask(query: Query): Promise<Answer> {
    const { method, key, search = '', body, headers = {}, maxBytes = MAX_ANSWER } = query;
    const { base } = this.settings;
    // A list has no slash after the bucket, as the AWS CLI sends it: s3rver verifies no other form.
    const url =
      search === '' ? `${base}${this.place.prefix}${key}` : `${base.replace(/\/$/, '')}${search}`;
    this.signal.throwIfAborted();
    const timeoutMs = this.timeoutMs + (body?.length ?? 0) / MIN_BYTES_PER_MS;
    const { signal, isLate, extend, release } = limit(this.signal, timeoutMs);
    try {
      const response = await this.client.fetch(url, {
        method,
        headers,
        ...(body === undefined ? {} : { body: new Uint8Array(body) }),
        // Credentials go nowhere else.
        redirect: 'manual',
        signal,
      });
      const isError = response.status > 299;
      const found = await readBody(response, isError ? MAX_ANSWER : maxBytes, extend);
      const code = isError ? /<Code>(\w{1,64})<\/Code>/.exec(found.toString('latin1'))?.[1] : '';
      const etag = response.headers.get('etag') ?? '';
      return { status: response.status, code: code ?? '', etag, bytes: found };
    } catch (error) {
      this.signal.throwIfAborted();
      const text = `${this.place.text}: cannot reach the store: ${isLate() ? 'no answer in time' : reasonOf(error)}`;
      const next = 'Check AWS_ENDPOINT_URL_S3 and the network, then run the same command again';
      throw new StoreFault(`${text}\n${next}`, true);
    } finally {
      release();
    }
  }

  private faultOf(verb: string, key: string, { status, code }: Answer): StoreFault {
    const what = code === '' ? `HTTP status ${status}` : `${code} (HTTP status ${status})`;
    const text = `${this.place.text}: cannot ${verb} ${key === '' ? 'the bucket' : key}: ${what}`;
    const isTransient = status >= 500 ? status !== 501 : status === 429 || status === 409;
    return new StoreFault(`${text}\n${adviceFor(status, code)}`, isTransient);
  }
}

/** Unlike AbortSignal.any, it removes its listener from a signal that lives long. */
function limit(outer: AbortSignal, timeoutMs: number) {
  const controller = new AbortController();
  const abort = () => controller.abort();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    abort();
  }, timeoutMs);
  outer.addEventListener('abort', abort);
  const release = (): void => {
    clearTimeout(timer);
    outer.removeEventListener('abort', abort);
  };
  const extend = (): void => void timer.refresh();
  return { signal: controller.signal, isLate: () => isLate, extend, release };
}

function adviceFor(status: number, code: string): string {
  if (code === 'NoSuchBucket') return 'Create the bucket, or correct its name';
  if (code === 'RequestTimeTooSkewed') return 'Correct the clock of this machine';
  if (status === 401 || status === 403) {
    return 'Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, and the policy of the bucket';
  }
  if (status === 501) return 'Use a store with conditional writes (If-Match)';
  if (status >= 500 || status === 429) return 'Wait, then run the same command again';
  return 'Check AWS_REGION and AWS_ENDPOINT_URL_S3';
}

/** At most one chunk more than `maxBytes`. */
async function readBody(
  response: Response,
  maxBytes: number,
  onChunk: () => void,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  while (reader !== undefined && size <= maxBytes) {
    const { done, value } = await reader.read();
    if (done) break;
    onChunk();
    chunks.push(value);
    size += value.length;
  }
  await reader?.cancel();
  return Buffer.concat(chunks);
}

/** A message may have the value of a header. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const isCoded = cause instanceof Error && 'code' in cause && typeof cause.code === 'string';
  return isCoded ? String(cause.code) : 'the request failed';
}
