import type { ClientState, WatchEvent, Watcher } from '../base/client.js';
import type { ServerAddress } from '../base/connect-string.js';
import type { ClientSasl } from '../base/kerberos.js';

export interface SessionOptions {
  /** In the order of attempts. */
  readonly servers: readonly ServerAddress[];
  readonly chroot: string;
  readonly sessionTimeoutMs: number;
  readonly connectTimeoutMs: number;
  /** Limit of rounds for the first connection; Infinity for no limit. */
  readonly connectRounds: number;
  readonly isUnknownHostFinal: boolean;
  /** 0 for no limit. */
  readonly requestTimeoutMs: number;
  readonly canBeReadOnly: boolean;
  /** Whether a new session follows an expired one. Default false. */
  readonly renewSession?: boolean | undefined;
  readonly shouldResetWatches: boolean;
  readonly sasl?: ClientSasl | undefined;
  readonly maxFrameLength: number;
  readonly session?: { readonly id: bigint; readonly password: Buffer } | undefined;
  /** 0 to 1: spreads the delays of clients that lost the same server. */
  readonly random: () => number;
}

export interface SessionEffects {
  /**
   * Opens a connection; the driver reports it with handleConnected or handleClosed. With Kerberos,
   * handleLogin precedes it.
   */
  connect(server: ServerAddress): void;
  /** Drops the connection, open or opening, without further events. */
  disconnect(): void;
  /** Bytes are ready: call takeBytes before the turn of the event loop ends. */
  wantWrite(): void;
  changeState(state: ClientState, reason: Error | undefined): void;
  /** A new session replaces the expired one of this id. */
  renewed(previousSessionId: bigint): void;
  deliver(event: WatchEvent, watchers: ReadonlySet<Watcher>): void;
}

/** How long close() waits for the server to confirm the close. */
export const CLOSE_TIMEOUT_MS = 3000;
