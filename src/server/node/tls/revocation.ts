/** ssl.ocsp and ssl.crl: whether a peer's certificates are revoked. */
import { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { RevocationCheck } from '../../../certificates/revocation-check.js';
import { LIMITS } from '../../limits/limits.js';
import type { TlsOptions } from './tls-options.js';

export interface Revocation {
  /** Resolves to the reason to refuse the peer of a finished handshake, if there is one. */
  find(socket: TLSSocket): Promise<string | undefined>;
  close(): void;
}

/**
 * Undefined without ssl.ocsp and ssl.crl. Lists in the trust store are left to OpenSSL, which then
 * demands one of each authority; none are fetched then.
 */
export function makeRevocation({
  context,
  isOcspAsked,
  isCrlAsked,
}: Pick<TlsOptions, 'context' | 'isOcspAsked' | 'isCrlAsked'>): Revocation | undefined {
  const isFetching = isCrlAsked && context.crl === undefined;
  if (!isOcspAsked && !isFetching) return undefined;
  const trusted = [context.ca ?? []].flat().map((text) => new X509Certificate(text));
  const check = new RevocationCheck(trusted, isOcspAsked ? 'ocsp' : 'crl', {
    timeMs: LIMITS.ocspTime.value,
    maxBytes: LIMITS.ocspBytes.value,
    maxAnswers: LIMITS.ocspAnswers.value,
    maxListBytes: LIMITS.crlBytes.value,
    maxLists: LIMITS.crlLists.value,
  });
  return {
    find: async (socket) => {
      try {
        // getPeerX509Certificate() would remove the first issuer that the peer sent (Node.js 20).
        await check.check(socket.getPeerCertificate(true));
        return undefined;
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    },
    close: () => check.close(),
  };
}
