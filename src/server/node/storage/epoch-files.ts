/** The files acceptedEpoch and currentEpoch, which files/epochs.ts explains. */
import { join } from 'node:path';
import {
  ACCEPTED_EPOCH_FILE,
  CURRENT_EPOCH_FILE,
  type EpochName,
  encodeEpoch,
  OTHER_DATA_ADVICE,
  resolveEpochs,
  TEMPORARY_SUFFIX,
} from '../../../files/epochs.js';
import { writeFileAtomically } from './atomic-file.js';
import { ExitCode, isMissing, ServerError } from './errors.js';
import type { FileSystem } from './file-system.js';
import { readWhole } from './read-file.js';

export interface KnownEpochs {
  readonly acceptedEpoch: number;
  readonly currentEpoch: number;
}

/**
 * The epochs of a server whose data end at `lastZxid`. Writes missing files
 * (QuorumPeer.loadDataBase).
 * @throws ServerError EDATA when they contradict the data
 */
export async function openEpochs(
  fs: FileSystem,
  folder: string,
  lastZxid: bigint,
): Promise<KnownEpochs> {
  const texts = {
    acceptedEpoch: await readText(fs, join(folder, ACCEPTED_EPOCH_FILE)),
    currentEpoch: await readText(fs, join(folder, CURRENT_EPOCH_FILE)),
    currentEpochTemporary: await readText(fs, join(folder, CURRENT_EPOCH_FILE + TEMPORARY_SUFFIX)),
  };
  const epochs = resolveEpochs(texts, lastZxid);
  if (epochs.kind === 'refuse') {
    const { reason, advice = OTHER_DATA_ADVICE } = epochs;
    throw new ServerError('EDATA', ExitCode.DATA, `${folder}: ${reason}. ${advice}`);
  }
  const { acceptedEpoch, currentEpoch } = epochs;
  if (texts.currentEpoch !== encodeEpoch(currentEpoch)) {
    await writeEpoch(fs, folder, CURRENT_EPOCH_FILE, currentEpoch);
  }
  if (texts.acceptedEpoch === null)
    await writeEpoch(fs, folder, ACCEPTED_EPOCH_FILE, acceptedEpoch);
  return { acceptedEpoch, currentEpoch };
}

/** Resolves when the epoch is on the disk. @throws ServerError EEPOCHWRITE, which is final */
export async function writeEpoch(
  fs: FileSystem,
  folder: string,
  name: EpochName,
  epoch: number,
): Promise<void> {
  const path = join(folder, name);
  try {
    await writeFileAtomically(fs, path, encodeEpoch(epoch));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `${path}: cannot write: ${why}. The server stops, because it can promise nothing to the ensemble: free or repair the disk, then start it again`;
    throw new ServerError('EEPOCHWRITE', ExitCode.DISK, message, cause);
  }
}

async function readText(fs: FileSystem, path: string): Promise<string | null> {
  try {
    return (await readWhole(fs, path)).toString('latin1');
  } catch (error) {
    if (isMissing(error)) return null;
    const why = error instanceof Error ? error.message : String(error);
    throw new ServerError('EDATA', ExitCode.DATA, `${path}: cannot read: ${why}`, error);
  }
}
