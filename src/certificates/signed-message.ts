/** What the signed messages of OCSP and revocation lists share. */
import { type KeyObject, verify } from 'node:crypto';
import { bitsOf } from './certificate-parts.js';
import { DerError, type DerItem, DerTag, expectItem, readItems, readOid } from './der-reader.js';

/** As in Java: for clocks that differ, and messages that are a little late. */
export const CLOCK_SKEW_MS = 15 * 60_000;

/** The digest by the OID of a signature; null for those that have none. No SHA-1. */
const SIGNATURES: ReadonlyMap<string, string | null> = new Map([
  ['1.2.840.113549.1.1.11', 'sha256'],
  ['1.2.840.113549.1.1.12', 'sha384'],
  ['1.2.840.113549.1.1.13', 'sha512'],
  ['1.2.840.10045.4.3.2', 'sha256'],
  ['1.2.840.10045.4.3.3', 'sha384'],
  ['1.2.840.10045.4.3.4', 'sha512'],
  ['1.3.101.112', null],
  ['1.3.101.113', null],
]);

/**
 * @param algorithm the AlgorithmIdentifier
 * @returns the digest of an accepted algorithm, or the OID of another one
 * @throws DerError
 */
export function digestOf(algorithm: DerItem): { digest: string | null } | { unknown: string } {
  const id = readOid(expectItem(readItems(algorithm.content), 0, DerTag.OID));
  const digest = SIGNATURES.get(id);
  return digest === undefined ? { unknown: id } : { digest };
}

/** @param signature a BIT STRING */
export function isSignedBy(
  key: KeyObject,
  digest: string | null,
  message: DerItem,
  signature: DerItem,
): boolean {
  // Its count of unused bits.
  if (signature.content[0] !== 0) return false;
  return verify(digest, message.whole, key, bitsOf(signature));
}

export const TimeTag = { UTC: 0x17, GENERALIZED: 0x18 } as const;

/** UTCTime or GeneralizedTime, in ms. @throws DerError */
export function readTime({ tag, content }: DerItem): number {
  const text = content.toString('latin1');
  // UTCTime has two digits for the years 1950 to 2049.
  const whole = tag === TimeTag.UTC ? `${text < '5' ? '20' : '19'}${text}` : text;
  const match = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(whole);
  const [, year, month, day, hour, minute, second] = match ?? [];
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (match === null || Number.isNaN(time)) throw new DerError('has an invalid time');
  return time;
}
