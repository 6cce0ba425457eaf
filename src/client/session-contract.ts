import type { ClientState, WatchEvent, Watcher } from './client.js';
import type { ServerAddress } from './connect-string.js';

export interface SessionOptions {
  /** In the order in which they are tried. */
  readonly servers: readonly ServerAddress[];
  /** "" or an absolute path. */
  readonly chroot: string;
  readonly sessionTimeoutMs: number;
  /** How long the first connection may take over the whole list. */
  readonly connectTimeoutMs: number;
  /** How many rounds of the list the first connection may take; Infinity for any number. */
  readonly connectRounds: number;
  /** 0 for none. */
  readonly requestTimeoutMs: number;
  readonly canBeReadOnly: boolean;
  readonly maxFrameLength: number;
  readonly session?: { readonly id: bigint; readonly password: Buffer } | undefined;
  /** 0 to 1: spreads the waits of clients that lost the same server. */
  readonly random: () => number;
}

/** What a session wants done. Calls come in the order in which the caller must hear of them. */
export interface SessionEffects {
  /** Open a connection; answer with handleConnected or handleClosed. */
  connect(server: ServerAddress): void;
  /** Drop the connection, open or opening; nothing more is heard of it. */
  disconnect(): void;
  /** There are bytes: take them with takeBytes before the turn ends. */
  wantWrite(): void;
  changeState(state: ClientState, reason: Error | undefined): void;
  deliver(event: WatchEvent, watchers: ReadonlySet<Watcher>): void;
}

/** How long close() waits for the server to say that the session is closed. */
export const CLOSE_TIMEOUT_MS = 3000;
