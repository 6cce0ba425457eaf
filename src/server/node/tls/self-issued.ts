/** Certificates whose subject equals their issuer, on the ports of a server. */
import { X509Certificate } from 'node:crypto';
import type { SecureContextOptions, TLSSocket } from 'node:tls';
import { BY_NAME_ALONE, isSignedByAuthority } from '../../../certificates/signed-by-authority.js';

/** Whether the own certificate is one; clients then have such certificates, too. */
export function isNamedAsIssuer({ cert }: SecureContextOptions): boolean {
  const [first] = [cert].flat();
  if (first === undefined) return false;
  const own = new X509Certificate(first);
  return own.subject === own.issuer && !own.verify(own.publicKey);
}

export function makeTrustCheck(context: SecureContextOptions): (socket: TLSSocket) => boolean {
  const trusted = trustedOf(context);
  return (socket) => {
    if (socket.authorized) return true;
    if (String(socket.authorizationError) !== BY_NAME_ALONE) return false;
    // getPeerX509Certificate() would take it away from the check of names (Node.js 20).
    const { raw } = socket.getPeerCertificate();
    return isSignedByAuthority(new X509Certificate(raw), trusted);
  };
}

/** With revocation lists, only OpenSSL can tell whether a certificate is revoked. */
function trustedOf({ ca, crl }: SecureContextOptions): readonly X509Certificate[] {
  if (ca === undefined || crl !== undefined) return [];
  return [ca].flat().map((text) => new X509Certificate(text));
}
