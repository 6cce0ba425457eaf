/** The path from the certificate of a peer to an authority that is trusted. */
import { X509Certificate } from 'node:crypto';
import { mayIssue } from './signed-by-authority.js';

/** Node's certificate of a peer, with its issuers; a root is its own issuer. */
export interface PeerCertificate {
  readonly raw: Buffer;
  readonly issuerCertificate?: PeerCertificate | undefined;
}

export interface Issued {
  readonly certificate: X509Certificate;
  readonly issuer: X509Certificate;
}

/** OpenSSL's own limit is 100. */
const MAX_DEPTH = 10;

/**
 * Each certificate below the trusted one, with its issuer. Empty if the peer's own is trusted;
 * undefined if no path is found. Each issuer has signed, so a peer cannot put another in its place.
 */
export function pathToTrusted(
  peer: PeerCertificate,
  trusted: readonly X509Certificate[],
): readonly Issued[] | undefined {
  const sent = chainOf(peer);
  const path: Issued[] = [];
  let certificate = sent[0];
  while (certificate !== undefined && path.length < MAX_DEPTH) {
    const one: X509Certificate = certificate;
    if (trusted.some(({ raw }) => raw.equals(one.raw))) return path;
    const isIssuer = (other: X509Certificate) =>
      mayIssue(other) && one.checkIssued(other) && one.verify(other.publicKey);
    const issuer = trusted.find(isIssuer) ?? sent.find(isIssuer);
    if (issuer === undefined) return undefined;
    path.push({ certificate: one, issuer });
    certificate = issuer;
  }
  return undefined;
}

function chainOf(peer: PeerCertificate): readonly X509Certificate[] {
  const chain: X509Certificate[] = [];
  let one: PeerCertificate | undefined = peer;
  while (one !== undefined && chain.length <= MAX_DEPTH) {
    chain.push(new X509Certificate(one.raw));
    one = one.issuerCertificate === one ? undefined : one.issuerCertificate;
  }
  return chain;
}
