/** The errors of KDCs as sentences that say what to do (RFC 4120, 7.5.9). */

import type { KdcFault } from './kdc-messages.js';
import { KerberosError } from './kerberos-error.js';

export const KdcError = { PREAUTH_REQUIRED: 25, SERVICE_UNAVAILABLE: 29, CLOCK_SKEW: 37 } as const;

type Sentence = (client: string, service: string) => string;

const SENTENCES: ReadonlyMap<number, Sentence> = new Map<number, Sentence>([
  [1, (client) => `the entry of ${client} in the KDC has expired`],
  [2, (_, service) => `the entry of ${service} in the KDC has expired`],
  [6, (client) => `the KDC does not know ${client} (expected a principal of its realm)`],
  [
    7,
    (_, service) =>
      `the KDC does not know the service ${service} (expected the principal of the server: compare its keytab, and the host in the connect string)`,
  ],
  [12, (client, service) => `the KDC does not let ${client} use ${service}`],
  [
    14,
    (client, service) =>
      `the KDC has no AES key of ${client} or ${service} (expected types 17 to 20)`,
  ],
  [18, (client) => `the KDC has locked ${client}`],
  [23, (client) => `the key of ${client} has expired: change it, and write a new keytab`],
  [24, (client) => `the key of ${client} is not the one of the KDC: write a new keytab`],
  [KdcError.SERVICE_UNAVAILABLE, () => 'the KDC is not available now'],
  [31, (client) => `the key of ${client} is not the one of the KDC: write a new keytab`],
  [32, (client) => `the ticket of ${client} has expired: run kinit`],
  [33, (client) => `the ticket of ${client} is not valid yet: compare the clocks`],
  [68, (client) => `the KDC is not for the realm of ${client}`],
]);

/** @param nowMs by the clock of this host */
export function kdcRefusal(
  fault: KdcFault,
  client: string,
  service: string,
  nowMs: number,
): KerberosError {
  const { errorCode, text, timeMs } = fault;
  if (errorCode === KdcError.CLOCK_SKEW) {
    const seconds = Math.round((nowMs - timeMs) / 1000);
    const side = seconds < 0 ? 'slow' : 'fast';
    return new KerberosError(
      `the clock of this host is ${Math.abs(seconds)} s ${side}, compared with the KDC: set it`,
    );
  }
  const kind = errorCode === KdcError.SERVICE_UNAVAILABLE ? 'unreachable' : 'refused';
  const sentence = SENTENCES.get(errorCode)?.(client, service);
  if (sentence !== undefined) return new KerberosError(sentence, { kind });
  const said = text === '' ? '' : `: ${text}`;
  return new KerberosError(`the KDC refuses ${client} with error ${errorCode}${said}`);
}
