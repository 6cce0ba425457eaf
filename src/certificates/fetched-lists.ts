/** Fetches the revocation lists that certificates name, and keeps some. */
import { createHash } from 'node:crypto';
import type { Issued } from './certificate-path.js';
import {
  CrlError,
  checkListed,
  listPlaces,
  type RevocationList,
  readRevocationList,
} from './crl.js';
import { DerError } from './der-reader.js';
import { ExchangeError, exchange } from './revocation-http.js';

export interface ListLimits {
  /** For the answer of a server. */
  readonly timeMs: number;
  /** Length of a list. */
  readonly maxListBytes: number;
  /** Lists that are kept. */
  readonly maxLists: number;
}

interface Kept {
  readonly list: RevocationList;
  /** When to look for a newer one. */
  readonly until: number;
}

/** A newer list may come before the time of the next one. */
const MAX_AGE_MS = 60_000;
/** Places of one certificate; all of them name the same list. */
const MAX_PLACES = 3;

export class FetchedLists {
  private readonly limits: ListLimits;
  private readonly signal: AbortSignal;
  /** By place and issuer, oldest first. */
  private readonly kept = new Map<string, Kept>();
  private readonly fetching = new Map<string, Promise<RevocationList>>();

  /** @param signal ends the fetches in flight, which refuse */
  constructor(limits: ListLimits, signal: AbortSignal) {
    this.limits = limits;
    this.signal = signal;
  }

  /** @throws CrlError unless a list of the issuer is about the certificate and does not name it */
  async check(issued: Issued): Promise<void> {
    const places = placesOf(issued);
    let last = new CrlError('it names no revocation list with http://');
    for (const place of places.filter(isFetchable).slice(0, MAX_PLACES)) {
      try {
        checkListed(await this.listAt(place, issued), issued.certificate, places);
        return;
      } catch (cause) {
        if (!(cause instanceof CrlError) && !(cause instanceof ExchangeError)) throw cause;
        const isRevoked = cause instanceof CrlError && cause.isRevoked;
        last = new CrlError(`${cause.message}, by ${place}`, { cause, isRevoked });
        if (isRevoked) break;
      }
    }
    throw last;
  }

  /** A kept list counts for a minute, and after that until its end while no newer one comes. */
  private async listAt(place: string, { issuer }: Issued): Promise<RevocationList> {
    const key = createHash('sha256').update(issuer.raw).update(place).digest('hex');
    const known = this.kept.get(key);
    if (known !== undefined && Date.now() < known.until) return known.list;
    const running = this.fetching.get(key);
    if (running !== undefined) return running;
    const fetched = this.fetch(place, issuer).then(
      (list) => this.keep(key, newerOf(known?.list, list)),
      (error: Error) => {
        if (known === undefined || known.list.nextUpdate < Date.now()) throw error;
        return this.keep(key, known.list);
      },
    );
    const ended = fetched.finally(() => this.fetching.delete(key));
    this.fetching.set(key, ended);
    return ended;
  }

  private async fetch(url: string, issuer: Issued['issuer']): Promise<RevocationList> {
    const { timeMs, maxListBytes: maxBytes } = this.limits;
    const limits = { timeMs, maxBytes, signal: this.signal };
    const headers = { Accept: 'application/pkix-crl' };
    const whom = 'the server of the list';
    return readRevocationList(
      await exchange({ method: 'GET', url, headers, whom, ...limits }),
      issuer,
    );
  }

  private keep(key: string, list: RevocationList): RevocationList {
    this.kept.delete(key);
    this.kept.set(key, { list, until: Math.min(list.nextUpdate, Date.now() + MAX_AGE_MS) });
    const [oldest] = this.kept.keys();
    if (this.kept.size > this.limits.maxLists && oldest !== undefined) this.kept.delete(oldest);
    return list;
  }
}

/** An old list, sent again, does not make a revoked certificate good. */
function newerOf(known: RevocationList | undefined, list: RevocationList): RevocationList {
  return known !== undefined && known.thisUpdate > list.thisUpdate ? known : list;
}

function placesOf({ certificate }: Issued): readonly string[] {
  try {
    return listPlaces(certificate);
  } catch (cause) {
    if (!(cause instanceof DerError)) throw cause;
    throw new CrlError(`its CRL distribution points are damaged: ${cause.message}`, { cause });
  }
}

function isFetchable(place: string): boolean {
  return /^http:\/\//i.test(place) && URL.canParse(place);
}
