/**
 * Certificates that an authority signed, although subject and issuer have one name, such as those
 * of Apache's script gencerts.sh. OpenSSL goes by the names and calls them self-signed. Java goes
 * by the signatures, and so does this.
 */
import { X509Certificate } from 'node:crypto';
import type { SecureContextOptions, TLSSocket } from 'node:tls';
import { DerTag, expectItems, readItem, readItems } from './der-reader.js';

/** OpenSSL has checked everything but the signature: a later fault replaces this code. */
const BY_NAME_ALONE = 'DEPTH_ZERO_SELF_SIGNED_CERT';

/** Whether the own certificate is one; clients then have such certificates, too. */
export function isNamedAsIssuer({ cert }: SecureContextOptions): boolean {
  const [first] = [cert].flat();
  if (first === undefined) return false;
  const own = new X509Certificate(first);
  return own.subject === own.issuer && !own.verify(own.publicKey);
}

export function makeTrustCheck(context: SecureContextOptions): (socket: TLSSocket) => boolean {
  const authorities = authoritiesOf(context);
  return (socket) => {
    if (socket.authorized) return true;
    const certificate = socket.getPeerX509Certificate();
    if (certificate === undefined || String(socket.authorizationError) !== BY_NAME_ALONE) {
      return false;
    }
    return authorities.some(
      (authority) =>
        isInDate(authority) &&
        certificate.checkIssued(authority) &&
        certificate.verify(authority.publicKey),
    );
  };
}

/** With revocation lists, only OpenSSL can tell whether a certificate is revoked. */
function authoritiesOf({ ca, crl }: SecureContextOptions): readonly X509Certificate[] {
  if (ca === undefined || crl !== undefined) return [];
  return [ca]
    .flat()
    .map((text) => new X509Certificate(text))
    .filter(isAuthority);
}

/** A root: a trust store may also have certificates of servers and clients, which sign nothing. */
function isAuthority(certificate: X509Certificate): boolean {
  const mayBe = certificate.ca || isOfVersion1(certificate);
  return mayBe && certificate.verify(certificate.publicKey);
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
