/** acceptedEpoch and currentEpoch on the disk; persistence/epochs.ts says what they mean. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  ACCEPTED_EPOCH_FILE,
  CURRENT_EPOCH_FILE,
  type EpochName,
  encodeEpoch,
  resolveEpochs,
  TEMPORARY_SUFFIX,
} from '../persistence/epochs.js';
import { writeFileAtomically } from './atomic-file.js';
import { ExitCode, ServerError } from './errors.js';

export interface KnownEpochs {
  readonly acceptedEpoch: number;
  readonly currentEpoch: number;
}

/**
 * The epochs of a server whose data ends at `lastZxid`. Files that are missing are written, as
 * Apache's server does (QuorumPeer.loadDataBase).
 * @throws ServerError EDATA when they cannot be those of this data
 */
export async function openEpochs(folder: string, lastZxid: bigint): Promise<KnownEpochs> {
  const texts = {
    acceptedEpoch: await readText(join(folder, ACCEPTED_EPOCH_FILE)),
    currentEpoch: await readText(join(folder, CURRENT_EPOCH_FILE)),
    currentEpochTemporary: await readText(join(folder, CURRENT_EPOCH_FILE + TEMPORARY_SUFFIX)),
  };
  const epochs = resolveEpochs(texts, lastZxid);
  if (epochs.kind === 'refuse') {
    throw new ServerError(
      'EDATA',
      ExitCode.DATA,
      `${folder}: ${epochs.reason}; is it another server's data? Bring the file back, or move all files of the folder away where an ensemble has the data`,
    );
  }
  const { acceptedEpoch, currentEpoch } = epochs;
  if (texts.currentEpoch !== encodeEpoch(currentEpoch)) {
    await writeEpoch(folder, CURRENT_EPOCH_FILE, currentEpoch);
  }
  if (texts.acceptedEpoch === null) await writeEpoch(folder, ACCEPTED_EPOCH_FILE, acceptedEpoch);
  return { acceptedEpoch, currentEpoch };
}

/** Resolves when the epoch is on the disk. @throws ServerError EEPOCHWRITE, which is final */
export async function writeEpoch(folder: string, name: EpochName, epoch: number): Promise<void> {
  const path = join(folder, name);
  try {
    await writeFileAtomically(path, encodeEpoch(epoch));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `${path} could not be written (${why}): this server can promise nothing to the ensemble, so it stops`;
    throw new ServerError('EEPOCHWRITE', ExitCode.DISK, message, cause);
  }
}

async function readText(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    const why = error instanceof Error ? error.message : String(error);
    throw new ServerError('EDATA', ExitCode.DATA, `${path} cannot be read: ${why}`, error);
  }
}
