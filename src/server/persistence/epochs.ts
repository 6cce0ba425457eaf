/**
 * acceptedEpoch and currentEpoch: two files in dataDir/version-2, a decimal number each, written
 * under another name and renamed (QuorumPeer.loadDataBase). A server must never take part with an
 * epoch older than what it has logged or promised.
 */
import { formatZxid, zxidEpoch } from '../../protocol/zxid.js';

export const ACCEPTED_EPOCH_FILE = 'acceptedEpoch';
export const CURRENT_EPOCH_FILE = 'currentEpoch';
/** An epoch is known by the name of its file. */
export type EpochName = typeof ACCEPTED_EPOCH_FILE | typeof CURRENT_EPOCH_FILE;
/** Behind the name of a file that is being written. */
export const TEMPORARY_SUFFIX = '.tmp';

export function encodeEpoch(epoch: number): string {
  return String(epoch);
}

/** The epoch in a file's text, or undefined when it is none. */
export function decodeEpoch(text: string): number | undefined {
  const digits = /^\s*(\d{1,10})\s*$/.exec(text)?.[1];
  if (digits === undefined) return undefined;
  const epoch = Number(digits);
  return epoch <= 0x7fff_ffff ? epoch : undefined;
}

/** The texts of the files; null where there is none. */
export interface EpochFiles {
  readonly acceptedEpoch: string | null;
  readonly currentEpoch: string | null;
  readonly currentEpochTemporary: string | null;
}

export type Epochs =
  | { readonly kind: 'known'; readonly acceptedEpoch: number; readonly currentEpoch: number }
  | { readonly kind: 'refuse'; readonly reason: string };

/** What the epochs are, given the last zxid that snapshot and log hold. */
export function resolveEpochs(files: EpochFiles, lastZxid: bigint): Epochs {
  const loggedEpoch = zxidEpoch(lastZxid);
  const read = (name: string, text: string | null): number | string => {
    if (text === null) return loggedEpoch;
    return decodeEpoch(text) ?? `${name} holds ${JSON.stringify(text)}; expected a number`;
  };
  const currentEpoch = read(CURRENT_EPOCH_FILE, files.currentEpoch);
  if (typeof currentEpoch === 'string') return { kind: 'refuse', reason: currentEpoch };
  const acceptedEpoch = read(ACCEPTED_EPOCH_FILE, files.acceptedEpoch);
  if (typeof acceptedEpoch === 'string') return { kind: 'refuse', reason: acceptedEpoch };
  if (loggedEpoch > currentEpoch) {
    // A crash between the history of a new epoch and its file (ZOOKEEPER-2354, 4643). A txn of an
    // epoch is logged behind all that its leader had, so the history of that epoch is whole here.
    const written = decodeEpoch(files.currentEpochTemporary ?? '');
    if (written !== loggedEpoch && acceptedEpoch < loggedEpoch) {
      const reason = `currentEpoch is ${currentEpoch}, older than the last zxid ${formatZxid(lastZxid)}`;
      return { kind: 'refuse', reason };
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
