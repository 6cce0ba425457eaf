// Arguments of the verbs that read the files of a server or a backup.
import type { ArgumentSpecs } from '../../machine/declaration.js';

export const LOGS: ArgumentSpecs = {
  'log-or-folder': { kind: 'file', isVariadic: true, summary: 'logs, or folders of logs' },
};
export const SNAPSHOT: ArgumentSpecs = {
  'snapshot-or-folder': { kind: 'file', summary: 'a snapshot, or the folder of the newest' },
};
export const SNAPSHOTS: ArgumentSpecs = {
  'snapshot-or-folder': {
    kind: 'file',
    isVariadic: true,
    summary: 'snapshots, or folders of snapshots',
  },
};
export const DATA_FOLDERS: ArgumentSpecs = {
  'data-dir': { kind: 'folder', summary: 'dataDir of the server' },
  'data-log-dir': { kind: 'folder', isOptional: true, summary: 'its dataLogDir, if it has one' },
};
export const BACKUP: ArgumentSpecs = {
  backup: { kind: 'folder', summary: 'folder or s3://BUCKET/PREFIX of zkops backup run' },
};
