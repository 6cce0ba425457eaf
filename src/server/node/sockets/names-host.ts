import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';

/**
 * Undefined if the certificate is valid for `host`. Its common name counts only without alternative
 * names (RFC 2818; ZKHostnameVerifier); Node.js would accept it anyway.
 */
export function checkHost(host: string, certificate: PeerCertificate): Error | undefined {
  // A name with a comma is in quotes.
  const names = (certificate.subjectaltname ?? '').replace(/"(?:[^"\\]|\\.)*"/g, '""');
  const isForAddressesOnly = /(?:^|, )IP Address:/.test(names) && !/(?:^|, )DNS:/.test(names);
  if (isIP(host) === 0 && isForAddressesOnly) {
    return new Error(`certificate of another host: ${names} (expected ${host})`);
  }
  return checkServerIdentity(host, certificate);
}
