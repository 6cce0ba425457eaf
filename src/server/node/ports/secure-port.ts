/** TLS for clients: secureClientPort, client.portUnification, and client.certReload. */
import type { Socket } from 'node:net';
import type { Config } from '../../config/config.js';
import type { Event } from '../../events.js';
import type { LimitName } from '../../limits/limits.js';
import { RateLimitedWarnings } from '../log/rate-limited-warnings.js';
import { MovableListener, type Place } from '../sockets/movable-listener.js';
import { FileWatcher } from '../tls/file-watcher.js';
import { TlsGate } from '../tls/tls-gate.js';
import { readTlsOptions } from '../tls/tls-options.js';

export interface SecurePortOptions {
  readonly config: Config;
  readonly backlog: number;
  readonly step: (event: Event) => void;
  /** Takes a client after its handshake. @param subject of its certificate, if any */
  readonly accept: (socket: Socket, subject: string | undefined) => void;
  readonly onWarning: (message: string) => void;
}

export class SecurePort {
  private readonly options: SecurePortOptions;
  private readonly gate: TlsGate;
  private readonly listener: MovableListener;
  private readonly watcher: FileWatcher | undefined;

  constructor(options: SecurePortOptions) {
    this.options = options;
    const { config, step, accept, onWarning } = options;
    const tls = readTlsOptions(config, onWarning);
    // Clients with an old certificate reconnect constantly.
    const warnings = new RateLimitedWarnings(onWarning);
    const onLimit = (limit: LimitName, from: string, value: number): void =>
      step({ kind: 'limit-exceeded', limit, from, value });
    this.gate = new TlsGate({
      tls,
      maxHandshakes: config.outstandingHandshakeLimit,
      maxPerAddress: config.maxClientCnxns,
      detectionTimeoutMs: config.sslHandshakeDetectionTimeoutMs,
      accept,
      onFailure: (reason) => {
        step({ kind: 'counted', what: 'unsuccessful_handshake' });
        warnings.say(`TLS: ${reason}`, reason.replace(/^\S+:\d+ /, ''));
      },
      onRejected: () => step({ kind: 'counted', what: 'connection_rejected' }),
      onTooMany: () => step({ kind: 'counted', what: 'tls_handshake_exceeded' }),
      onLimit,
    });
    this.listener = new MovableListener({
      whom: 'clients over TLS',
      tries: 1,
      backlog: options.backlog,
      allowHalfOpen: true,
      isForClients: true,
      onLimit,
      accept: (socket) => this.gate.take(socket),
      onWarning,
    });
    this.watcher = config.clientCertReload
      ? new FileWatcher(tls.files, () => this.reload(), onWarning)
      : undefined;
  }

  /** -1 without a separate port. */
  get port(): number {
    return this.listener.port;
  }

  get outstandingHandshakes(): number {
    return this.gate.outstanding;
  }

  /** Null closes the port. Clients stay. @throws ServerError EBIND: the old place stays in use */
  async move(place: Place | null): Promise<void> {
    await this.listener.move(place === null ? [] : [place]);
  }

  takeEither(socket: Socket, acceptPlain: (socket: Socket) => void): void {
    this.gate.take(socket, acceptPlain);
  }

  async shutDown(): Promise<void> {
    this.watcher?.close();
    this.listener.close();
    this.gate.close();
    await this.listener.ended();
  }

  /** If files are unreadable, keeps the current certificates. */
  private reload(): void {
    const { config, onWarning } = this.options;
    try {
      this.gate.reload(readTlsOptions(config, onWarning).context);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      onWarning(`certificates: cannot reload: ${why}. The previous ones stay in use`);
    }
  }
}
