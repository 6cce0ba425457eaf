/**
 * What the words ask of the machine and the process; node/ answers it, a simulation makes it up.
 */
export interface HostView {
  /** See ServerView.environment. */
  environment(): readonly (readonly [name: string, value: string])[];
  /** Bytes below the two folders; 0 each for a server in memory. */
  dirs(): { readonly dataDirSize: number; readonly logDirSize: number };
  /** -1 where unknown. */
  openFileCount(): number;
  maxFileCount(): number;
  /** Milliseconds since the process started. */
  uptimeMs(): number;
}

/** What `conf` and mntr print and the server itself does not need. */
export interface ConfigFacts {
  readonly clientPort: number;
  readonly secureClientPort: number;
  readonly outstandingTlsHandshakes: number;
  readonly dataDir: string;
  readonly dataLogDir: string;
  readonly maxClientCnxns: number;
  readonly clientPortListenBacklog: number;
}
