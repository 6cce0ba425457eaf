/** Whether certificates are revoked, by the OCSP responders and the lists that they name. */
import { createHash, randomBytes, type X509Certificate } from 'node:crypto';
import { certificateParts, ocspUrl } from './certificate-parts.js';
import { type Issued, type PeerCertificate, pathToTrusted } from './certificate-path.js';
import { CrlError } from './crl.js';
import { DerError } from './der-reader.js';
import { FetchedLists, type ListLimits } from './fetched-lists.js';
import { checkOcspResponse, OcspError, writeOcspRequest } from './ocsp-message.js';
import { ExchangeError, exchange } from './revocation-http.js';

/** Why a peer is refused, with the kind of answer: "OCSP: …", "CRL: …", or both. */
class RevocationError extends Error {
  override readonly name = 'RevocationError';
  readonly code = 'EREVOCATION';
}

/**
 * `ocsp`: the responder; the list if that has no answer. `crl`: the list alone. As in Apache's
 * server, which leaves it to Java (X509Util, PKIXRevocationChecker).
 */
export type RevocationSource = 'ocsp' | 'crl';

export interface RevocationLimits extends ListLimits {
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
  private readonly source: RevocationSource;
  private readonly lists: FetchedLists;

  /** @param trusted the certificates of the trust store; those are not asked about */
  constructor(
    trusted: readonly X509Certificate[],
    source: RevocationSource,
    limits: RevocationLimits,
  ) {
    this.trusted = trusted;
    this.source = source;
    this.limits = limits;
    this.lists = new FetchedLists(limits, this.end.signal);
  }

  /**
   * The peer's certificate must be verified already.
   * @throws RevocationError unless each certificate below a trusted one is good
   */
  async check(peer: PeerCertificate): Promise<void> {
    const path = pathToTrusted(peer, this.trusted);
    if (path === undefined) throw new RevocationError('its issuer is unknown');
    await Promise.all(
      path.map((issued) =>
        this.source === 'crl' ? this.checkList(issued) : this.checkEither(issued),
      ),
    );
  }

  /** Ends the requests in flight, which refuse. */
  close(): void {
    this.end.abort();
  }

  private async checkList(issued: Issued, before = ''): Promise<void> {
    try {
      await this.lists.check(issued);
    } catch (cause) {
      if (!(cause instanceof CrlError)) throw cause;
      throw new RevocationError(`${before}CRL: ${cause.message}`, { cause });
    }
  }

  private async checkEither(issued: Issued): Promise<void> {
    try {
      await this.checkOne(issued);
    } catch (cause) {
      if (!(cause instanceof OcspError)) throw cause;
      const why = `OCSP: ${cause.message}`;
      if (cause.isRevoked) throw new RevocationError(why, { cause });
      await this.checkList(issued, `${why}; `);
    }
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
      const response = await this.post(url, writeOcspRequest(question));
      this.keep(key, checkOcspResponse(question, response));
    } catch (cause) {
      if (!(cause instanceof OcspError) && !(cause instanceof ExchangeError)) throw cause;
      const isRevoked = cause instanceof OcspError && cause.isRevoked;
      throw new OcspError(`${cause.message}, by ${url}`, { cause, isRevoked });
    }
  }

  private post(url: string, body: Buffer): Promise<Buffer> {
    const { timeMs, maxBytes } = this.limits;
    const headers = {
      'Content-Type': 'application/ocsp-request',
      'Content-Length': body.length,
      Accept: 'application/ocsp-response',
    };
    const limits = { timeMs, maxBytes, signal: this.end.signal };
    return exchange({ method: 'POST', url, headers, body, whom: 'the responder', ...limits });
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
