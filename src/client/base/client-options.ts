import type { ClientMetrics } from './client-metrics.js';
import type { ClientSasl } from './kerberos.js';
import type { TlsOptions } from './tls.js';
import type { WireTap } from './wire-trace.js';

/** The options of createClient and createNativeClient. */
export interface ClientOptions {
  /**
   * "host[:port][,host[:port]…][/chroot]"; the default port is 2181. IPv6 in brackets. The prefix
   * zks:// means TLS for all servers, and the default port 2281.
   */
  readonly connectString: string;
  /** TLS options; if set, all servers use TLS, with or without zks://. */
  readonly tls?: TlsOptions | undefined;
  /** Requested timeout; the server clamps it. Default 30000. */
  readonly sessionTimeoutMs?: number | undefined;
  /** How long connect() tries the whole list. Default 10000. */
  readonly connectTimeoutMs?: number | undefined;
  /**
   * Rounds of the list that connect() tries before it rejects, even with time left. Use 1 for a
   * command that should fail at once when a server is down. Default: limited only by the time. The
   * native client ignores it.
   */
  readonly connectRounds?: number | undefined;
  /**
   * Whether connect() rejects at once if no host name of the list exists, and within a second if
   * every server refuses the connection, or TLS with each fails. Default false: a name may be
   * published a moment later, and a server started. The native client ignores it.
   */
  readonly isUnknownHostFinal?: boolean | undefined;
  /**
   * A request without an answer for this many ms rejects with ETIMEDOUT. Default 120000; 0
   * waits as long as the session lives.
   */
  readonly requestTimeoutMs?: number | undefined;
  /** Whether this session may use a read-only server. Default false. */
  readonly canBeReadOnly?: boolean | undefined;
  /**
   * Whether a new session begins by itself when a session has expired. It has the identities of
   * addAuth and the persistent watches of the old one, and the client emits `renewed`. Requests and
   * one-shot watches of the old session end with it: the requests reject with SESSIONEXPIRED.
   * Ephemerals are gone; recipes create theirs again. Default false. Not for the native client.
   */
  readonly renewSession?: boolean | undefined;
  /** Longest reply accepted, in bytes. Default 4 MiB - 1 (Apache's client: jute.maxbuffer). */
  readonly maxFrameLength?: number | undefined;
  /**
   * Logs in to each server by SASL before anything else, with a password (DIGEST-MD5) or with a
   * keytab or ticket of Kerberos: see `kerberos`. connect() rejects with AUTHFAILED if a server or
   * a KDC refuses it. Not for the native client.
   */
  readonly sasl?: ClientSasl | undefined;
  /** Re-attach to a session of an earlier client instead of opening a new one. */
  readonly session?: { readonly id: bigint; readonly password: Uint8Array } | undefined;
  /** Displays the traffic of the client: see decodedTrace. Not for the native client. */
  readonly trace?: (() => WireTap) | undefined;
  /** Receives what the client reports about itself; not for the native client. */
  readonly metrics?: ClientMetrics | undefined;
  /**
   * Whether a new connection sets the watches again. Default true. False, as Java's
   * disableAutoWatchReset: a lost connection removes all watches. Not for the native client.
   */
  readonly shouldResetWatches?: boolean | undefined;
  /** Whether to shuffle the list once, as Apache's clients do. Default true. */
  readonly shouldShuffle?: boolean | undefined;
}
