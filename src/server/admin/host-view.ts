/** Facts about machine and process for the words; a simulation invents them. */
export interface HostView {
  environment(): readonly (readonly [name: string, value: string])[];
  /** In bytes; 0 for a server in memory. */
  dirs(): { readonly dataDirSize: number; readonly logDirSize: number };
  /** Zxids in the names of the oldest log and the newest snapshot; 0 without one. */
  files(): { readonly firstZxid: bigint; readonly snapshotZxid: bigint };
  /** Whether a word may begin a snapshot now; counts as one that did. */
  takesSnapshot(): boolean;
  /** -1 if unknown. */
  openFileCount(): number;
  maxFileCount(): number;
  uptimeMs(): number;
}

/** Settings that only `conf` and mntr need. */
export interface ConfigFacts {
  readonly clientPort: number;
  readonly secureClientPort: number;
  readonly outstandingTlsHandshakes: number;
  readonly dataDir: string;
  readonly dataLogDir: string;
  readonly maxClientCnxns: number;
  readonly clientPortListenBacklog: number;
}
