/** ssl.ocsp: whether the responders of a peer's certificates call these good. */
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

/** Undefined without ssl.ocsp. */
export function makeRevocation({
  context,
  isOcspAsked,
}: Pick<TlsOptions, 'context' | 'isOcspAsked'>): Revocation | undefined {
  if (!isOcspAsked) return undefined;
  const trusted = [context.ca ?? []].flat().map((text) => new X509Certificate(text));
  const check = new RevocationCheck(trusted, {
    timeMs: LIMITS.ocspTime.value,
    maxBytes: LIMITS.ocspBytes.value,
    maxAnswers: LIMITS.ocspAnswers.value,
  });
  return {
    find: async (socket) => {
      try {
        // getPeerX509Certificate() would remove the first issuer that the peer sent (Node.js 20).
        await check.check(socket.getPeerCertificate(true));
        return undefined;
      } catch (error) {
        return `OCSP: ${error instanceof Error ? error.message : String(error)}`;
      }
    },
    close: () => check.close(),
  };
}
