/** Asks the OCSP responders that certificates name whether these are revoked. */
import { createHash, randomBytes, type X509Certificate } from 'node:crypto';
import { request } from 'node:http';
import { certificateParts, ocspUrl } from './certificate-parts.js';
import { type Issued, type PeerCertificate, pathToTrusted } from './certificate-path.js';
import { DerError } from './der-reader.js';
import { checkOcspResponse, OcspError, writeOcspRequest } from './ocsp-message.js';

export interface RevocationLimits {
  /** For the answer of a responder. */
  readonly timeMs: number;
  /** Length of an answer. */
  readonly maxBytes: number;
  /** Good answers that are kept. */
  readonly maxAnswers: number;
}

/** Clients that reconnect ask no responder, and a revocation still has an effect soon. */
const MAX_AGE_MS = 60_000;
const NONCE_LENGTH = 16;

export class RevocationCheck {
  private readonly limits: RevocationLimits;
  private readonly trusted: readonly X509Certificate[];
  /** The time until which a certificate is good, oldest first. */
  private readonly good = new Map<string, number>();
  private readonly asking = new Map<string, Promise<void>>();
  private readonly end = new AbortController();

  /** @param trusted the certificates of the trust store; those are not asked about */
  constructor(trusted: readonly X509Certificate[], limits: RevocationLimits) {
    this.trusted = trusted;
    this.limits = limits;
  }

  /**
   * The peer's certificate must be verified already.
   * @throws OcspError unless each certificate below a trusted one is good
   */
  async check(peer: PeerCertificate): Promise<void> {
    const path = pathToTrusted(peer, this.trusted);
    if (path === undefined) throw new OcspError('its issuer is unknown');
    await Promise.all(path.map((issued) => this.checkOne(issued)));
  }

  /** Ends the requests in flight, which refuse. */
  close(): void {
    this.end.abort();
  }

  private async checkOne(issued: Issued): Promise<void> {
    const { certificate, issuer } = issued;
    const key = createHash('sha256').update(certificate.raw).update(issuer.raw).digest('hex');
    if ((this.good.get(key) ?? 0) > Date.now()) return;
    let asked = this.asking.get(key);
    if (asked === undefined) {
      asked = this.ask(issued, key).finally(() => this.asking.delete(key));
      this.asking.set(key, asked);
    }
    await asked;
  }

  private async ask({ certificate, issuer }: Issued, key: string): Promise<void> {
    const url = urlOf(certificate);
    const question = { certificate, issuer, nonce: randomBytes(NONCE_LENGTH) };
    try {
      const response = await post(url, writeOcspRequest(question), this.limits, this.end.signal);
      this.keep(key, checkOcspResponse(question, response));
    } catch (cause) {
      if (!(cause instanceof OcspError)) throw cause;
      throw new OcspError(`${cause.message}, by ${url}`, { cause });
    }
  }

  private keep(key: string, until: number | undefined): void {
    if (until === undefined) return;
    this.good.delete(key);
    this.good.set(key, Math.min(until, Date.now() + MAX_AGE_MS));
    const [oldest] = this.good.keys();
    if (this.good.size > this.limits.maxAnswers && oldest !== undefined) this.good.delete(oldest);
  }
}

function urlOf({ raw }: X509Certificate): string {
  try {
    const url = ocspUrl(certificateParts(raw));
    if (url !== undefined && URL.canParse(url)) return url;
  } catch (cause) {
    if (!(cause instanceof DerError)) throw cause;
  }
  throw new OcspError('it names no OCSP responder with http://');
}

/** @throws OcspError */
function post(
  url: string,
  body: Buffer,
  { timeMs, maxBytes }: RevocationLimits,
  signal: AbortSignal,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string): void => {
      reject(new OcspError(reason));
      asked.destroy();
    };
    const headers = {
      'Content-Type': 'application/ocsp-request',
      'Content-Length': body.length,
      Accept: 'application/ocsp-response',
      Connection: 'close',
    };
    const asked = request(url, { method: 'POST', headers, agent: false, signal }, (response) => {
      if (response.statusCode !== 200) {
        fail(`the responder answers HTTP ${response.statusCode}`);
        return;
      }
      const chunks: Buffer[] = [];
      let length = 0;
      response.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length > maxBytes) fail(`the response is longer than ${maxBytes} bytes`);
        else chunks.push(chunk);
      });
      response.on('end', () => resolve(Buffer.concat(chunks)));
      response.on('error', (error) => fail(`the responder fails: ${error.message}`));
    });
    const timer = setTimeout(() => fail(`no response in ${timeMs} ms`), timeMs).unref();
    // Who waits for the answer has a socket that keeps the process alive.
    asked.on('socket', (socket) => socket.unref());
    asked.on('error', (error) => fail(`the responder is unreachable: ${error.message}`));
    asked.on('close', () => {
      clearTimeout(timer);
      fail('the responder closed the connection');
    });
    asked.end(body);
  });
}
