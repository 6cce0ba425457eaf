/** `isOcspChecked`: asks the OCSP responders of a server's certificates. Loaded on demand. */
import type { TLSSocket } from 'node:tls';
import { RevocationCheck } from '../../certificates/revocation-check.js';
import { certificatesIn, type TlsOptions } from './tls.js';

const LIMITS = { timeMs: 10_000, maxBytes: 64 * 1024, maxAnswers: 1000 };
const checks = new WeakMap<TlsOptions, RevocationCheck>();

/**
 * Resolves if each certificate of the server is good.
 * @throws OcspError with the reason if one is not, or if no responder says so
 */
export async function refuseRevoked(socket: TLSSocket, tls: TlsOptions): Promise<void> {
  let check = checks.get(tls);
  if (check === undefined) {
    check = new RevocationCheck(certificatesIn(tls.ca ?? ''), LIMITS);
    checks.set(tls, check);
  }
  await check.check(socket.getPeerCertificate(true));
}
