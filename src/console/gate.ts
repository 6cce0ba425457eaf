/** Decides first, by host, origin, rate, and login, if a request may pass. Never reads the body. */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { ExitCode } from '../commands/program/command-error.js';
import type { Logins } from './logins.js';
import { HttpProblem } from './problem.js';

const RATE = { perSecond: 200, burst: 1000 } as const;
const FAILED_LOGINS = { perSecond: 1 / 6, burst: 10 } as const;
const MAX_ADDRESSES = 10_000;

/** A token bucket per address. */
export class RateLimit {
  private readonly rate: { readonly perSecond: number; readonly burst: number };
  private readonly buckets = new Map<string, { left: number; at: number }>();

  constructor(rate: { readonly perSecond: number; readonly burst: number }) {
    this.rate = rate;
  }

  /** Takes a token unless `isPeek`. */
  allows(address: string, nowMs: number, isPeek = false): boolean {
    const { perSecond, burst } = this.rate;
    const bucket = this.buckets.get(address) ?? { left: burst, at: nowMs };
    bucket.left = Math.min(burst, bucket.left + ((nowMs - bucket.at) / 1000) * perSecond);
    bucket.at = nowMs;
    this.buckets.delete(address);
    this.buckets.set(address, bucket);
    const [oldest] = this.buckets.keys();
    if (this.buckets.size > MAX_ADDRESSES && oldest !== undefined) this.buckets.delete(oldest);
    if (bucket.left < 1) return false;
    if (!isPeek) bucket.left--;
    return true;
  }
}

export interface GateOptions {
  readonly logins: Logins;
  /** Lower-case host names of the console, besides IP addresses. */
  readonly hostNames: ReadonlySet<string>;
}

export class Gate {
  private readonly options: GateOptions;
  private readonly requests = new RateLimit(RATE);
  private readonly failures = new RateLimit(FAILED_LOGINS);

  constructor(options: GateOptions) {
    this.options = options;
  }

  /** @throws HttpProblem for a request that no login would allow */
  check(request: IncomingMessage): void {
    const { method = '', headers, socket } = request;
    if (!this.requests.allows(socket.remoteAddress ?? '', Date.now())) throw tooFast();
    this.checkHost(headers.host);
    const { origin } = headers;
    const isForeign =
      (origin !== undefined && hostOf(origin) !== headers.host?.toLowerCase()) ||
      ['cross-site', 'same-site'].includes(String(headers['sec-fetch-site']));
    // A link from another site may open the page: it shows no data until it sends requests itself.
    const isPage = method === 'GET' && headers['sec-fetch-dest'] === 'document';
    if (isForeign && !isPage) {
      throw refused('BADORIGIN', 'the request comes from a page of another site');
    }
  }

  /** The user; null if the console needs no login. @throws HttpProblem without a valid login */
  async login(request: IncomingMessage): Promise<string | null> {
    const { logins } = this.options;
    if (!logins.isRequired) return null;
    const { remoteAddress: address = '' } = request.socket;
    const { authorization } = request.headers;
    const known = logins.knownUser(request);
    if (known !== undefined) return known;
    // Failed logins from the same address do not lock out users who logged in before.
    if (!this.failures.allows(address, Date.now(), true)) throw tooFast();
    const user = await logins.userOf(authorization);
    if (user !== undefined) return user;
    if (authorization !== undefined) this.failures.allows(address, Date.now());
    const detail = authorization === undefined ? 'a login is needed' : 'the login is wrong';
    throw new HttpProblem(401, 'NOLOGIN', detail, {
      exitCode: ExitCode.noAuth,
      headers: { 'www-authenticate': logins.challenge },
    });
  }

  /** Against DNS rebinding: a foreign name that resolves to this address is refused. */
  private checkHost(given: string | undefined): void {
    const host = given?.replace(/:\d+$/, '').toLowerCase() ?? '';
    const isAddress = isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0;
    if (isAddress || this.options.hostNames.has(host)) return;
    throw refused('BADHOST', `unknown host: ${given ?? 'none'}: add it with --host-names`);
  }
}

/** A proxy may add TLS, so the scheme does not count. */
function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

function tooFast(): HttpProblem {
  const headers = { 'retry-after': '10' };
  return new HttpProblem(429, 'TOOFAST', 'too many requests from this address', { headers });
}

function refused(code: string, detail: string): HttpProblem {
  return new HttpProblem(403, code, detail, { exitCode: ExitCode.noAuth });
}
