/** Certificate revocation lists (RFC 5280, section 5). */
import type { X509Certificate } from 'node:crypto';
import { certificateParts, extensionsOf, maySignLists } from './certificate-parts.js';
import { DerError, type DerItem, DerTag, expectItem, readItem, readItems } from './der-reader.js';
import { CLOCK_SKEW_MS, digestOf, isSignedBy, readTime, TimeTag } from './signed-message.js';

/** Why no list says that a certificate is good. */
export class CrlError extends Error {
  override readonly name = 'CrlError';
  readonly code = 'ECRL';
  /** Whether the list names the certificate. */
  readonly isRevoked: boolean;

  constructor(message: string, options?: ErrorOptions & { readonly isRevoked?: boolean }) {
    super(message, options);
    this.isRevoked = options?.isRevoked === true;
  }
}

export interface RevocationList {
  readonly thisUpdate: number;
  readonly nextUpdate: number;
  /** The time of the revocation by the serial number in hex. */
  readonly revoked: ReadonlyMap<string, number>;
  readonly scope: Scope;
}

/** The certificates that a list is about. */
interface Scope {
  /** Undefined: a list for every place. */
  readonly places?: readonly string[];
  readonly of?: 'users' | 'authorities';
}

const ISSUING_POINT = '2.5.29.28';
const DELTA = '2.5.29.27';
const URI_TAG = 0x86;
/** The fields of an IssuingDistributionPoint. */
const PointTag = { PLACE: 0xa0, USERS: 0x81, AUTHORITIES: 0x82 } as const;
const EXTENSIONS_TAG = 0xa0;
const VERSION_2 = 1;

/**
 * @param bytes a list in DER
 * @param issuer of the certificates; lists of others (indirect ones) are refused
 * @throws CrlError if the list is not a whole one of this issuer
 */
export function readRevocationList(bytes: Buffer, issuer: X509Certificate): RevocationList {
  try {
    return readSigned(bytes, issuer);
  } catch (cause) {
    if (!(cause instanceof DerError)) throw cause;
    throw new CrlError(`the list is damaged: it ${cause.message}`, { cause });
  }
}

/** @throws CrlError unless the list is of now, is about the certificate, and does not name it */
export function checkListed(
  list: RevocationList,
  certificate: X509Certificate,
  places: readonly string[],
  now = Date.now(),
): void {
  const { thisUpdate, nextUpdate, revoked, scope } = list;
  if (thisUpdate > now + CLOCK_SKEW_MS) throw new CrlError('the list is not valid yet');
  if (nextUpdate < now - CLOCK_SKEW_MS) throw new CrlError('the list is stale');
  const isOfKind = scope.of === undefined || (scope.of === 'authorities') === certificate.ca;
  const isOfPlace = scope.places?.some((place) => places.includes(place)) ?? true;
  if (!isOfKind || !isOfPlace) throw new CrlError('the list is about other certificates');
  const since = revoked.get(serialText(certificateParts(certificate.raw).serial));
  if (since === undefined) return;
  throw new CrlError(`revoked since ${new Date(since).toISOString()}`, { isRevoked: true });
}

function readSigned(bytes: Buffer, issuer: X509Certificate): RevocationList {
  const whole = expectItem([readItem(bytes)], 0, DerTag.SEQUENCE);
  if (whole.whole.length !== bytes.length) throw new DerError('has bytes after its end');
  const outer = readItems(whole.content);
  const content = expectItem(outer, 0, DerTag.SEQUENCE);
  const algorithm = expectItem(outer, 1, DerTag.SEQUENCE);
  const signature = expectItem(outer, 2, DerTag.BIT_STRING);
  const parts = readItems(content.content);
  // Version 1 leaves its number out.
  const [version] = parts;
  const isVersion2 = version?.tag === DerTag.INTEGER;
  if (isVersion2 && !version.content.equals(Buffer.from([VERSION_2]))) {
    throw new DerError('has an unknown version');
  }
  const fields = isVersion2 ? parts.slice(1) : parts;
  const digest = digestOf(algorithm);
  if ('unknown' in digest) throw new CrlError(`unknown signature algorithm: ${digest.unknown}`);
  if (!expectItem(fields, 0, DerTag.SEQUENCE).whole.equals(algorithm.whole)) {
    throw new DerError('names two signature algorithms');
  }
  const authority = certificateParts(issuer.raw);
  if (!expectItem(fields, 1, DerTag.SEQUENCE).whole.equals(authority.subject)) {
    throw new CrlError('the list is of another issuer');
  }
  if (!maySignLists(authority)) throw new CrlError('the issuer may not sign lists');
  if (!isSignedBy(issuer.publicKey, digest.digest, content, signature)) {
    throw new CrlError('the signature of the list is wrong');
  }
  return readFieldsOf(fields.slice(2));
}

/** @param fields those after the issuer */
function readFieldsOf(fields: readonly DerItem[]): RevocationList {
  const [thisUpdate, nextUpdate, ...rest] = fields;
  if (!isTime(thisUpdate)) throw new DerError('has no time');
  if (!isTime(nextUpdate)) throw new CrlError('the list does not say when the next one comes');
  const entries = rest[0]?.tag === DerTag.SEQUENCE ? readItems(rest[0].content) : [];
  const [extensions, ...more] = rest[0]?.tag === DerTag.SEQUENCE ? rest.slice(1) : rest;
  if (more.length > 0 || (extensions !== undefined && extensions.tag !== EXTENSIONS_TAG)) {
    throw new DerError('has an unknown field');
  }
  return {
    thisUpdate: readTime(thisUpdate),
    nextUpdate: readTime(nextUpdate),
    scope: extensions === undefined ? {} : readScope(readItem(extensions.content)),
    revoked: new Map(entries.map(readEntry)),
  };
}

function isTime(item: DerItem | undefined): item is DerItem {
  return item?.tag === TimeTag.UTC || item?.tag === TimeTag.GENERALIZED;
}

function readEntry(entry: DerItem): readonly [serial: string, since: number] {
  const items = readItems(expectItem([entry], 0, DerTag.SEQUENCE).content);
  const [serial, since, extensions] = items;
  if (serial?.tag !== DerTag.INTEGER || !isTime(since)) throw new DerError('has a damaged entry');
  if (extensions !== undefined) {
    // For example the issuer of the certificate, in an indirect list.
    for (const { id, isCritical } of extensionsOf(extensions)) if (isCritical) refuse(id);
  }
  return [serialText(serial.content), readTime(since)];
}

/** Without zeros that a careless authority may add in one place and not in the other. */
function serialText(serial: Buffer): string {
  return serial.toString('hex').replace(/^(?:00)+/, '');
}

function readScope(extensions: DerItem): Scope {
  let scope: Scope = {};
  for (const { id, isCritical, content } of extensionsOf(extensions)) {
    if (id === ISSUING_POINT) scope = readIssuingPoint(content);
    else if (id === DELTA) throw new CrlError('the list is only a part (a delta)');
    else if (isCritical) refuse(id);
  }
  return scope;
}

function refuse(id: string): never {
  throw new CrlError(`the list has an unknown critical extension: ${id}`);
}

function readIssuingPoint(content: Buffer): Scope {
  let scope: Scope = {};
  for (const field of readItems(expectItem([readItem(content)], 0, DerTag.SEQUENCE).content)) {
    if (field.tag === PointTag.PLACE) scope = { ...scope, places: placesOf(field) };
    else if (field.tag !== PointTag.USERS && field.tag !== PointTag.AUTHORITIES) {
      throw new CrlError('the list is indirect, or only for some reasons');
    } else if (field.content[0] !== 0) {
      if (scope.of !== undefined) throw new DerError('has a contradictory scope');
      scope = { ...scope, of: field.tag === PointTag.USERS ? 'users' : 'authorities' };
    }
  }
  return scope;
}

const CRL_POINTS = '2.5.29.31';

/** The URLs of the places of the lists that a certificate names. @throws DerError */
export function listPlaces({ raw }: X509Certificate): readonly string[] {
  const content = certificateParts(raw).extensions.get(CRL_POINTS);
  if (content === undefined) return [];
  return readItems(expectItem([readItem(content)], 0, DerTag.SEQUENCE).content).flatMap((point) => {
    const fields = readItems(point.content);
    const [place] = fields;
    // Others have reasons, or another issuer: lists that readSigned() refuses.
    return fields.length === 1 && place?.tag === PointTag.PLACE ? placesOf(place) : [];
  });
}

/** The URLs of a DistributionPointName; none for a name relative to the issuer. */
function placesOf({ content }: DerItem): readonly string[] {
  const name = readItem(content);
  if (name.tag !== PointTag.PLACE) return [];
  return readItems(name.content)
    .filter(({ tag }) => tag === URI_TAG)
    .map((uri) => uri.content.toString('latin1'));
}
