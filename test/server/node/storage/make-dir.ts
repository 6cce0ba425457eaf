import { DataDir, type DataDirOptions } from '../../../../src/server/node/storage/data-dir.js';

/** A data directory with the usual options, log and snapshots in one folder. */
export function makeDir(dataDir: string, tree: DataDirOptions['tree'] = {}): DataDir {
  return new DataDir({
    dataDir,
    dataLogDir: dataDir,
    tree,
    maxEntryLength: 1 << 20,
    isEmptyTrusted: false,
    compression: 'none',
    isLastZxidWritten: true,
    areFoldersMade: true,
    isEmptyDatabaseMade: true,
    onWarning: () => undefined,
  });
}
