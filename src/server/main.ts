import type { Buffer } from 'node:buffer';

export interface StartServerOptions {
  /** Default 0: a free port. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Where log and snapshots are kept; in memory without it. */
  readonly dataDir?: string;
  /** Lines of a zoo.cfg (`tickTime`, `4lw.commands.whitelist` …) by name. */
  readonly config?: Readonly<Record<string, string>>;
}

export interface RunningServer {
  readonly host: string;
  readonly port: number;
  /** "127.0.0.1:2181" */
  readonly connectString: string;
  /** Closes connections, log and sockets in order. */
  close(): Promise<void>;
}

export async function startServer(_options: StartServerOptions = {}): Promise<RunningServer> {
  void (0 as unknown as Buffer);
  throw new Error('not built yet');
}
