/**
 * acceptedEpoch and currentEpoch: two files in dataDir/version-2 with a decimal number each
 * (QuorumPeer.loadDataBase). A server must never take part with an epoch older than its log or its
 * promise.
 */

import { assert } from '../base/assert.js';
import { formatZxid, MAX_EPOCH, zxidEpoch } from '../protocol/zxid.js';

export const ACCEPTED_EPOCH_FILE = 'acceptedEpoch';
export const CURRENT_EPOCH_FILE = 'currentEpoch';
export type EpochName = typeof ACCEPTED_EPOCH_FILE | typeof CURRENT_EPOCH_FILE;
export const TEMPORARY_SUFFIX = '.tmp';

/** Never writes an epoch that the next start would refuse. */
export function encodeEpoch(epoch: number): string {
  const isInRange = Number.isInteger(epoch) && epoch >= 0 && epoch <= MAX_EPOCH;
  assert(isInRange, `epoch: out of range: ${epoch} (expected 0 to ${MAX_EPOCH})`);
  return String(epoch);
}

/** Undefined if the text is not an epoch. */
export function decodeEpoch(text: string): number | undefined {
  const digits = /^\s*(\d{1,10})\s*$/.exec(text)?.[1];
  if (digits === undefined) return undefined;
  const epoch = Number(digits);
  return epoch <= MAX_EPOCH ? epoch : undefined;
}

export interface EpochFiles {
  readonly acceptedEpoch: string | null;
  readonly currentEpoch: string | null;
  readonly currentEpochTemporary: string | null;
}

export type Epochs =
  | { readonly kind: 'known'; readonly acceptedEpoch: number; readonly currentEpoch: number }
  | {
      readonly kind: 'refuse';
      readonly reason: string;
      /** For an operator if only this file is wrong. */
      readonly advice?: string;
    };

export const OTHER_DATA_ADVICE =
  'Is this the data of another server? Restore the file. If an ensemble has the data, you can instead move all files out of the folder';

/** For a promise that no leader can ever fulfill. */
export const RESET_ADVICE = `Stop all servers of the ensemble, write the number in ${CURRENT_EPOCH_FILE} into ${ACCEPTED_EPOCH_FILE} on this one, and start them`;

/** A standalone server continues past the end of an epoch and writes no epoch files. */
function standaloneAdvice(epoch: number): string {
  return `${OTHER_DATA_ADVICE}. If a standalone server wrote past epoch ${epoch} here, delete ${CURRENT_EPOCH_FILE} and ${ACCEPTED_EPOCH_FILE} to keep its txns`;
}

/** Checks the epochs against the last zxid in snapshot and log. */
export function resolveEpochs(files: EpochFiles, lastZxid: bigint): Epochs {
  const loggedEpoch = zxidEpoch(lastZxid);
  const read = (name: string, text: string | null): number | string => {
    if (text === null) return loggedEpoch;
    const expected = `(expected a number from 0 to ${MAX_EPOCH})`;
    return (
      decodeEpoch(text) ??
      `${name}: invalid epoch: ${JSON.stringify(text.slice(0, 40))} ${expected}`
    );
  };
  const currentEpoch = read(CURRENT_EPOCH_FILE, files.currentEpoch);
  if (typeof currentEpoch === 'string') return { kind: 'refuse', reason: currentEpoch };
  const acceptedEpoch = read(ACCEPTED_EPOCH_FILE, files.acceptedEpoch);
  if (typeof acceptedEpoch === 'string') {
    return { kind: 'refuse', reason: acceptedEpoch, advice: RESET_ADVICE };
  }
  if (loggedEpoch > currentEpoch) {
    // A crash came between the history of a new epoch and its file (ZOOKEEPER-2354, 4643). The
    // history is complete, because txns of an epoch are logged after it.
    const written = decodeEpoch(files.currentEpochTemporary ?? '');
    if (written !== loggedEpoch && acceptedEpoch < loggedEpoch) {
      const reason = `currentEpoch is ${currentEpoch}, older than the last zxid ${formatZxid(lastZxid)}`;
      return { kind: 'refuse', reason, advice: standaloneAdvice(currentEpoch) };
    }
    return known(acceptedEpoch, loggedEpoch);
  }
  return known(acceptedEpoch, currentEpoch);
}

function known(acceptedEpoch: number, currentEpoch: number): Epochs {
  if (acceptedEpoch < currentEpoch) {
    const reason = `acceptedEpoch is ${acceptedEpoch}, older than currentEpoch ${currentEpoch}`;
    return { kind: 'refuse', reason };
  }
  return { kind: 'known', acceptedEpoch, currentEpoch };
}
