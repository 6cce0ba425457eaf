import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';

/**
 * Undefined when the certificate is for `host`, an address or a name. Its common name counts only
 * where it has no alternative name of either kind (RFC 2818; ZKHostnameVerifier): Node.js also
 * takes it beside the address of another host.
 */
export function checkHost(host: string, certificate: PeerCertificate): Error | undefined {
  // A name with a comma stands in quotes.
  const names = (certificate.subjectaltname ?? '').replace(/"(?:[^"\\]|\\.)*"/g, '""');
  const isForAddressesOnly = /(?:^|, )IP Address:/.test(names) && !/(?:^|, )DNS:/.test(names);
  if (isIP(host) === 0 && isForAddressesOnly) {
    return new Error(`certificate of another host: ${names} (expected ${host})`);
  }
  return checkServerIdentity(host, certificate);
}
