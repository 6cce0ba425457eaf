// One run of the shell in Apache's style: its connection, its history, its streams.

import type { WatchEvent, ZooKeeperClient } from '../../client/base/client.js';
import type { ClientOptions } from '../../client/base/client-options.js';
import { ConnectError, ZooKeeperError } from '../../client/base/errors.js';
import type { Stat } from '../../protocol/data.js';
import type { CommandError } from '../program/command-error.js';
import { formatLocalDate } from '../znodes/local-date.js';
import { statLines } from '../znodes/stat-lines.js';
import { cliFault } from './cli-fault.js';

export interface CliStreams {
  out(text: string | Buffer): void;
  err(text: string): void;
}

export interface CliSettings {
  readonly server: string;
  readonly timeoutMs: number;
  readonly isReadOnly: boolean;
  /** Waits for the servers during the whole timeout, not for one round of the list. */
  readonly isWaiting: boolean;
  readonly options: Partial<ClientOptions>;
}

export type CliClientFactory = (options: ClientOptions) => Promise<ZooKeeperClient>;

export class ZkCliShell {
  readonly streams: CliStreams;
  readonly settings: CliSettings;
  readonly history: string[] = [];
  isPrintingWatches = true;
  exitCode = 0;
  isOver = false;
  private currentHost: string;
  private client: ZooKeeperClient | undefined;
  private hasClosed = false;
  private readonly createClient: CliClientFactory;

  constructor(settings: CliSettings, streams: CliStreams, createClient: CliClientFactory) {
    this.settings = settings;
    this.streams = streams;
    this.currentHost = settings.server;
    this.createClient = createClient;
  }

  get host(): string {
    return this.currentHost;
  }

  get isClosed(): boolean {
    return this.hasClosed;
  }

  line(text: string): void {
    this.streams.out(`${text}\n`);
  }

  complain(text: string): void {
    this.streams.err(`${text}\n`);
  }

  stat(stat: Stat): void {
    this.streams.out(statLines(stat, formatLocalDate));
  }

  /** Prints the event like Apache's shell, unless `printwatches off` is set. */
  readonly onWatch = (event: Pick<WatchEvent, 'type' | 'path'>): void => {
    this.printEvent('SyncConnected', event.type, event.path);
  };

  private printEvent(state: string, type: string, path: string): void {
    if (!this.isPrintingWatches) return;
    this.line(`\nWATCHER::\n\nWatchedEvent state:${state} type:${type} path:${path}`);
  }

  /** Connects for the first command that needs it. @throws CommandError without a server */
  async ready(): Promise<ZooKeeperClient> {
    if (this.client === undefined) await this.connect(this.currentHost);
    if (this.client === undefined) throw cliFault('Not connected');
    return this.client;
  }

  async connect(host: string): Promise<void> {
    await this.drop();
    this.currentHost = host;
    this.hasClosed = false;
    const { timeoutMs, isReadOnly, isWaiting, options } = this.settings;
    const client = await this.createClient({
      ...options,
      connectString: host,
      sessionTimeoutMs: timeoutMs,
      connectTimeoutMs: timeoutMs,
      canBeReadOnly: isReadOnly,
      ...(isWaiting ? {} : { connectRounds: 1 }),
    });
    client.on('watch', this.onWatch);
    try {
      await client.connect();
    } catch (error) {
      await client.close();
      throw error instanceof ConnectError ? this.unreachable() : withReason(error);
    }
    this.client = client;
    this.printState(client.state);
    client.on('state', (state) => {
      if (this.client === client) this.printState(state);
    });
  }

  /** Only the states that Apache's shell reports; it reports the end of a session in `close`. */
  private printState(state: string): void {
    const name = KEEPER_STATES[state];
    if (name !== undefined) this.printEvent(name, 'None', 'null');
  }

  private unreachable(): CommandError {
    const loss = 'KeeperErrorCode = ConnectionLoss';
    if (!this.settings.isWaiting) return cliFault(`${loss} for /`);
    return cliFault(
      `Exception in thread "main" java.io.IOException: org.apache.zookeeper.KeeperException$ConnectionLossException: ${loss}`,
    );
  }

  /** The command `close`. */
  async close(): Promise<void> {
    await this.ready();
    await this.drop();
    this.hasClosed = true;
  }

  private async drop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client === undefined) return;
    await client.close();
    this.printEvent('Closed', 'None', 'null');
  }

  /** Closes the session without output. */
  async end(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    await client?.close();
  }
}

/** Watcher.Event.KeeperState, by the states of the client. */
const KEEPER_STATES: Readonly<Record<string, string>> = {
  connected: 'SyncConnected',
  'connected-readonly': 'ConnectedReadOnly',
  disconnected: 'Disconnected',
  expired: 'Expired',
};

/** Apache's shell logs why a login failed. */
function withReason(error: unknown): unknown {
  const isRefused = error instanceof ZooKeeperError && error.code === 'AUTHFAILED';
  if (!isRefused || !(error.cause instanceof Error)) return error;
  return cliFault(`${error.message}: ${error.cause.message}`);
}
