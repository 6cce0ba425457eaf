/** `isOcspChecked` and `isCrlChecked`: is a server's certificate revoked? Loaded on demand. */
import type { TLSSocket } from 'node:tls';
import { RevocationCheck } from '../../certificates/revocation-check.js';
import { certificatesIn, type TlsOptions } from './tls.js';

const LIMITS = {
  timeMs: 10_000,
  maxBytes: 64 * 1024,
  maxAnswers: 1000,
  maxListBytes: 4 * 1024 * 1024,
  maxLists: 32,
};
const checks = new WeakMap<TlsOptions, RevocationCheck>();

/**
 * Resolves if each certificate of the server is good.
 * @throws RevocationError with the reason if one is not, or if nobody says so
 */
export async function refuseRevoked(socket: TLSSocket, tls: TlsOptions): Promise<void> {
  let check = checks.get(tls);
  if (check === undefined) {
    check = new RevocationCheck(
      certificatesIn(tls.ca ?? ''),
      tls.isOcspChecked === true ? 'ocsp' : 'crl',
      LIMITS,
    );
    checks.set(tls, check);
  }
  await check.check(socket.getPeerCertificate(true));
}
