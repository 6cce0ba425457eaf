// The figures of the host and of the start for words: nothing is open, full, or late.

export const HOST = {
  environment: () => [],
  dirs: () => ({ dataDirSize: 0, logDirSize: 0 }),
  files: () => ({ firstZxid: 0n, snapshotZxid: 0n }),
  takesSnapshot: () => true,
  openFileCount: () => 0,
  maxFileCount: () => 0,
  uptimeMs: () => 0,
};

export const FACTS = {
  clientPort: 2181,
  secureClientPort: -1,
  outstandingTlsHandshakes: 0,
  dataDir: '',
  dataLogDir: '',
  maxClientCnxns: 0,
  clientPortListenBacklog: -1,
};
