import { TLSSocket } from 'node:tls';
import { openSocket, readyEvent } from '../../client/base/connection.js';
import type { TlsOptions } from '../../client/base/tls.js';
import type { MemberAddress } from './member-address.js';

/** Undefined if no certificate arrives in time. */
export type AskCertificate = (
  address: MemberAddress,
  limit: { readonly timeoutMs: number; readonly deadline: AbortSignal; readonly tls?: TlsOptions },
) => Promise<number | undefined>;

/** In ms since 1970. The words report a failed handshake. */
export const askCertificate: AskCertificate = (address, { timeoutMs, deadline, tls }) =>
  new Promise((resolve) => {
    const socket = openSocket(address, tls);
    const settle = (endsMs: number | undefined): void => {
      clearTimeout(timer);
      deadline.removeEventListener('abort', giveUp);
      socket.destroy();
      resolve(endsMs);
    };
    const giveUp = (): void => settle(undefined);
    const timer = setTimeout(giveUp, timeoutMs);
    deadline.addEventListener('abort', giveUp);
    socket.on('error', giveUp);
    socket.on(readyEvent(address), () => {
      const ends = socket instanceof TLSSocket ? socket.getPeerCertificate().valid_to : '';
      const endsMs = Date.parse(ends);
      settle(Number.isNaN(endsMs) ? undefined : endsMs);
    });
  });
