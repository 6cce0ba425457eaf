/** Facts about machine and process for the words; a simulation invents them. */
export interface HostView {
  environment(): readonly (readonly [name: string, value: string])[];
  /** In bytes; 0 for a server in memory. */
  dirs(): { readonly dataDirSize: number; readonly logDirSize: number };
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
