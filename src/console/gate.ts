/** Decides first, by host, origin, rate, and login, if a request may pass. Never reads the body. */

import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { ExitCode } from '../commands/program/exit-status.js';
import type { Logins } from './logins.js';
import { HttpProblem } from './problem.js';
import { API } from './route.js';

const RATE = { perSecond: 200, burst: 1000 } as const;
const FAILED_LOGINS = { perSecond: 1 / 6, burst: 10 } as const;
const MAX_ADDRESSES = 10_000;
/** Passwords of all addresses that are checked at once. */
const MAX_CHECKS = 32;

/** A token bucket per address. */
export class RateLimit {
  private readonly rate: { readonly perSecond: number; readonly burst: number };
  private readonly buckets = new Map<string, { left: number; at: number }>();

  constructor(rate: { readonly perSecond: number; readonly burst: number }) {
    this.rate = rate;
  }

  /** Takes a token. */
  allows(address: string, nowMs: number): boolean {
    const { perSecond, burst } = this.rate;
    const bucket = this.buckets.get(address) ?? { left: burst, at: nowMs };
    bucket.left = Math.min(burst, bucket.left + ((nowMs - bucket.at) / 1000) * perSecond);
    bucket.at = nowMs;
    this.buckets.delete(address);
    this.buckets.set(address, bucket);
    const [oldest] = this.buckets.keys();
    if (this.buckets.size > MAX_ADDRESSES && oldest !== undefined) this.buckets.delete(oldest);
    if (bucket.left < 1) return false;
    bucket.left--;
    return true;
  }

  /** Returns a token that was taken in vain. */
  giveBack(address: string): void {
    const bucket = this.buckets.get(address);
    if (bucket !== undefined) bucket.left = Math.min(this.rate.burst, bucket.left + 1);
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
  /** Passwords that are being checked. */
  private checks = 0;

  constructor(options: GateOptions) {
    this.options = options;
  }

  /** @throws HttpProblem for a request that no login would allow */
  check(request: IncomingMessage): void {
    const { method = '', url = '', headers, socket } = request;
    if (!this.requests.allows(socket.remoteAddress ?? '', Date.now())) throw tooFast();
    this.checkHost(headers.host);
    const { origin } = headers;
    const isForeign =
      (origin !== undefined && hostOf(origin) !== headers.host?.toLowerCase()) ||
      ['cross-site', 'same-site'].includes(String(headers['sec-fetch-site']));
    // A link from another site may open the page: it shows no data until it sends requests itself.
    const isOfPage = !url.startsWith(API) && headers['sec-fetch-dest'] === 'document';
    const isPage = method === 'GET' && isOfPage;
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
    if (authorization !== undefined) {
      // Failed logins from the same address do not lock out users who logged in before. The token
      // is taken before the check, or many checks at once would take the same one.
      if (!this.failures.allows(address, Date.now())) throw tooFast();
      const user = await this.userOf(authorization);
      if (user !== undefined) {
        this.failures.giveBack(address);
        return user;
      }
    }
    const detail = authorization === undefined ? 'a login is needed' : 'the login is wrong';
    throw new HttpProblem(401, 'NOLOGIN', detail, {
      exitCode: ExitCode.noAuth,
      headers: { 'www-authenticate': logins.challenge },
    });
  }

  /** The user of a password. Each check holds a thread for some 50 ms. */
  private async userOf(authorization: string): Promise<string | undefined> {
    if (this.checks >= MAX_CHECKS) throw tooFast();
    this.checks++;
    try {
      return await this.options.logins.userOf(authorization);
    } finally {
      this.checks--;
    }
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
