import type { ClientState, WatchEvent, Watcher } from './client.js';
import type { ServerAddress } from './connect-string.js';

export interface SessionOptions {
  /** In the order to try them. */
  readonly servers: readonly ServerAddress[];
  /** "" or an absolute path. */
  readonly chroot: string;
  readonly sessionTimeoutMs: number;
  /** The timeout of the first connection over the whole list. */
  readonly connectTimeoutMs: number;
  /** The maximum of rounds for the first connection; Infinity for no limit. */
  readonly connectRounds: number;
  /** 0 disables it. */
  readonly requestTimeoutMs: number;
  readonly canBeReadOnly: boolean;
  readonly maxFrameLength: number;
  readonly session?: { readonly id: bigint; readonly password: Buffer } | undefined;
  /** 0 to 1: spreads the waits of clients that lost the same server. */
  readonly random: () => number;
}

/** The effects of a session, in the order that callers must see. */
export interface SessionEffects {
  /** Open a connection; report it with handleConnected or handleClosed. */
  connect(server: ServerAddress): void;
  /** Drop the connection, open or opening, without further events. */
  disconnect(): void;
  /** Bytes are ready: take them with takeBytes before the turn ends. */
  wantWrite(): void;
  changeState(state: ClientState, reason: Error | undefined): void;
  deliver(event: WatchEvent, watchers: ReadonlySet<Watcher>): void;
}

/** How long close() waits for the server to confirm the close. */
export const CLOSE_TIMEOUT_MS = 3000;
