/** The state of a running server, for an operator who wonders what it does. */
export interface StateReport {
  readonly kind: 'state';
  /** Null while it looks for a leader. */
  readonly mode: string | null;
  readonly uptimeMs: number;
  readonly lastZxid: bigint;
  readonly connections: number;
  readonly sessions: number;
  readonly outstanding: number;
  readonly znodes: number;
  readonly watches: number;
  readonly ephemerals: number;
  readonly openFiles: number;
  /** In bytes, as Node.js names them. */
  readonly memory: Readonly<Record<string, number>>;
  /** What the event loop waits for: the number of timers, sockets, file requests … */
  readonly waitsFor: Readonly<Record<string, number>>;
}
