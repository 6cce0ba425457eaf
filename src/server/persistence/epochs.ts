/**
 * acceptedEpoch and currentEpoch: two files in dataDir/version-2, a decimal number each, written
 * under another name and renamed (QuorumPeer.loadDataBase). A server must never take part with an
 * epoch older than what it has logged or promised.
 */
import { formatZxid, MAX_EPOCH, zxidEpoch } from '../../protocol/zxid.js';
import { assert } from '../base/assert.js';

export const ACCEPTED_EPOCH_FILE = 'acceptedEpoch';
export const CURRENT_EPOCH_FILE = 'currentEpoch';
/** An epoch is known by the name of its file. */
export type EpochName = typeof ACCEPTED_EPOCH_FILE | typeof CURRENT_EPOCH_FILE;
/** Behind the name of a file that is being written. */
export const TEMPORARY_SUFFIX = '.tmp';

/** The next start refuses any other epoch, so none may reach the disk. */
export function encodeEpoch(epoch: number): string {
  const isInRange = Number.isInteger(epoch) && epoch >= 0 && epoch <= MAX_EPOCH;
  assert(isInRange, `an epoch to write: ${epoch} (expected 0 to ${MAX_EPOCH})`);
  return String(epoch);
}

/** The epoch in a file's text, or undefined when it is none. */
export function decodeEpoch(text: string): number | undefined {
  const digits = /^\s*(\d{1,10})\s*$/.exec(text)?.[1];
  if (digits === undefined) return undefined;
  const epoch = Number(digits);
  return epoch <= MAX_EPOCH ? epoch : undefined;
}

/** The texts of the files; null where there is none. */
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
      /** What an operator can do where only this file is wrong. */
      readonly advice?: string;
    };

export const OTHER_DATA_ADVICE =
  "is it another server's data? Bring the file back, or move all files of the folder away where an ensemble has the data";

/** How a server gets out of a promise that no leader can ever fulfill. */
export const RESET_ADVICE = `stop all servers of the ensemble, write the number in ${CURRENT_EPOCH_FILE} into ${ACCEPTED_EPOCH_FILE} on this one, and start them`;

/** A standalone server counts on past the end of an epoch, and writes no epochs. */
function countedOnAdvice(epoch: number): string {
  return `${OTHER_DATA_ADVICE}. If a standalone server wrote past epoch ${epoch} here, delete ${CURRENT_EPOCH_FILE} and ${ACCEPTED_EPOCH_FILE} to keep its txns`;
}

/** What the epochs are, given the last zxid that snapshot and log hold. */
export function resolveEpochs(files: EpochFiles, lastZxid: bigint): Epochs {
  const loggedEpoch = zxidEpoch(lastZxid);
  const read = (name: string, text: string | null): number | string => {
    if (text === null) return loggedEpoch;
    const expected = `expected a number from 0 to ${MAX_EPOCH}`;
    return decodeEpoch(text) ?? `${name} holds ${JSON.stringify(text.slice(0, 40))}; ${expected}`;
  };
  const currentEpoch = read(CURRENT_EPOCH_FILE, files.currentEpoch);
  if (typeof currentEpoch === 'string') return { kind: 'refuse', reason: currentEpoch };
  const acceptedEpoch = read(ACCEPTED_EPOCH_FILE, files.acceptedEpoch);
  if (typeof acceptedEpoch === 'string') {
    return { kind: 'refuse', reason: acceptedEpoch, advice: RESET_ADVICE };
  }
  if (loggedEpoch > currentEpoch) {
    // A crash between the history of a new epoch and its file (ZOOKEEPER-2354, 4643). A txn of an
    // epoch is logged behind all that its leader had, so the history of that epoch is whole here.
    const written = decodeEpoch(files.currentEpochTemporary ?? '');
    if (written !== loggedEpoch && acceptedEpoch < loggedEpoch) {
      const reason = `currentEpoch is ${currentEpoch}, older than the last zxid ${formatZxid(lastZxid)}`;
      return { kind: 'refuse', reason, advice: countedOnAdvice(currentEpoch) };
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
