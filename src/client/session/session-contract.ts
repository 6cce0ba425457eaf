import type { SaslLogin } from '../../protocol/sasl-digest-client.js';
import type { ClientState, WatchEvent, Watcher } from '../base/client.js';
import type { ServerAddress } from '../base/connect-string.js';

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
  /** Whether the first connection fails once no host name of the list exists. */
  readonly isUnknownHostFinal: boolean;
  /** 0 disables it. */
  readonly requestTimeoutMs: number;
  readonly canBeReadOnly: boolean;
  /** Whether a new connection sets the watches again. */
  readonly shouldResetWatches: boolean;
  readonly sasl?: SaslLogin | undefined;
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
