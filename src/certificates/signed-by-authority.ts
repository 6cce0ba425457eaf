/**
 * Certificates that an authority signed, although subject and issuer have one name, such as those
 * of Apache's script gencerts.sh. OpenSSL goes by the names and calls them self-signed. Java goes
 * by the signatures, and so does this.
 */
import type { X509Certificate } from 'node:crypto';
import { DerTag, expectItems, readItem, readItems } from './der-reader.js';

/**
 * OpenSSL's code for such a certificate. It means that OpenSSL has checked everything but the
 * signature and the name of the host: a later fault replaces this code.
 */
export const BY_NAME_ALONE = 'DEPTH_ZERO_SELF_SIGNED_CERT';

/** Whether one of `trusted` is an authority in its time and signed this certificate. */
export function isSignedByAuthority(
  certificate: X509Certificate,
  trusted: readonly X509Certificate[],
): boolean {
  return trusted.some(
    (authority) =>
      isAuthority(authority) &&
      isInDate(authority) &&
      certificate.checkIssued(authority) &&
      certificate.verify(authority.publicKey),
  );
}

/** A root: a trust store may also have certificates of servers and clients, which sign nothing. */
function isAuthority(certificate: X509Certificate): boolean {
  return mayIssue(certificate) && certificate.verify(certificate.publicKey);
}

export function mayIssue(certificate: X509Certificate): boolean {
  return certificate.ca || isOfVersion1(certificate);
}

/** Version 1 has no extension that could mark an authority. */
function isOfVersion1({ raw }: X509Certificate): boolean {
  const content = expectItems(readItems(readItem(raw).content), 0, DerTag.SEQUENCE);
  return content[0]?.tag === DerTag.INTEGER;
}

function isInDate({ validFrom, validTo }: X509Certificate): boolean {
  const now = Date.now();
  return Date.parse(validFrom) <= now && now <= Date.parse(validTo);
}
