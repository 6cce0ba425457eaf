import type { Socket } from 'node:net';
import type { Config } from '../../config/config.js';
import type { ClientPlace } from '../../config/config-ensemble.js';
import type { Event } from '../../events.js';
import type { LimitName } from '../../limits/limits.js';
import { RateLimitedWarnings } from '../log/rate-limited-warnings.js';
import { formatAddress } from '../sockets/listen.js';
import { MovableListener, type Place } from '../sockets/movable-listener.js';
import { FileWatcher } from '../tls/file-watcher.js';
import { TlsGate } from '../tls/tls-gate.js';
import { readTlsOptions } from '../tls/tls-options.js';
import { ClientPort } from './client-port.js';

/** Where clients connect: without TLS, and with TLS. Null: not at all. */
export interface ClientPlaces {
  readonly client: ClientPlace | null;
  readonly secureClient: ClientPlace | null;
}

export interface ClientPortsOptions {
  readonly config: Config;
  /** Port 0 uses a free port; without an address, all addresses. */
  readonly places: ClientPlaces;
  readonly step: (event: Event) => void;
  readonly onWarning: (message: string) => void;
}

type Changed<T> = { readonly [K in keyof T]: T[K] | undefined };

const ANY_ADDRESS = '0.0.0.0';

/** The ports for clients: without TLS, with TLS, or both on one port. */
export class ClientPorts {
  /** Has the clients of both ports. */
  readonly plain: ClientPort;
  private secure: SecurePort | undefined;
  private readonly options: ClientPortsOptions;
  private places: ClientPlaces;
  private moving: Promise<void> = Promise.resolve();

  /** @throws ServerError ECONFIG when the ssl.* options name no usable certificate */
  constructor(options: ClientPortsOptions) {
    this.options = options;
    this.places = options.places;
    const { config, places, step, onWarning } = options;
    const isShared = config.clientPortUnification;
    if (isShared || places.secureClient !== null) this.secure = this.makeSecurePort();
    this.plain = new ClientPort({
      backlog: config.clientPortListenBacklog,
      isKeptAlive: config.clientTcpKeepAlive,
      step,
      onWarning,
      ...(isShared
        ? { takeEither: (socket, acceptPlain) => this.secure?.takeEither(socket, acceptPlain) }
        : {}),
    });
  }

  private makeSecurePort(): SecurePort {
    const { config, step, onWarning } = this.options;
    return new SecurePort({
      config,
      backlog: config.clientPortListenBacklog,
      step,
      accept: (socket, subject) => this.plain.accept(socket, subject),
      onWarning,
    });
  }

  /** The host of the plain port, or of the TLS port without a plain one. */
  get host(): string {
    const { client, secureClient } = this.places;
    return (client ?? secureClient)?.address ?? ANY_ADDRESS;
  }

  get port(): number {
    return this.plain.port;
  }

  get securePort(): number {
    return this.secure?.port ?? -1;
  }

  get outstandingHandshakes(): number {
    return this.secure?.outstandingHandshakes ?? 0;
  }

  get connectString(): string {
    if (this.port !== -1) return formatAddress(this.host, this.port);
    return `zks://${formatAddress(this.host, this.securePort)}`;
  }

  async listen(): Promise<void> {
    const { client, secureClient } = this.places;
    await this.plain.move(placeOf(client));
    await this.secure?.move(placeOf(secureClient));
  }

  /**
   * Listens there from then on; a place that is undefined stays. Clients stay connected, except
   * those of a port that closes. If a new place is not available, that port stays where it is.
   */
  move({ client, secureClient }: Changed<ClientPlaces>): void {
    if (client !== undefined) this.inTurn(() => this.movePlain(client));
    if (secureClient !== undefined) this.inTurn(() => this.moveSecure(secureClient));
  }

  private async movePlain(client: ClientPlace | null): Promise<void> {
    await this.plain.move(placeOf(client));
    this.places = { ...this.places, client };
    if (client === null) this.plain.closeClients((isOverTls) => !isOverTls);
  }

  private async moveSecure(secureClient: ClientPlace | null): Promise<void> {
    if (secureClient !== null) this.secure ??= this.makeSecurePort();
    await this.secure?.move(placeOf(secureClient));
    this.places = { ...this.places, secureClient };
    if (secureClient === null) this.plain.closeClients((isOverTls) => isOverTls);
  }

  private inTurn(work: () => Promise<void>): void {
    this.moving = this.moving.then(work).catch((error: Error) => {
      const isOpen = this.port !== -1 || this.securePort !== -1;
      const stays = isOpen ? `; still listening on ${this.connectString}` : '';
      this.options.onWarning(`${error.message}${stays}`);
    });
  }

  async shutDown(): Promise<void> {
    // The plain port has the clients that the other port waits for.
    await Promise.all([this.secure?.shutDown(), this.plain.shutDown()]);
  }
}

function placeOf(place: ClientPlace | null): { host: string; port: number } | null {
  return place === null ? null : { host: place.address ?? ANY_ADDRESS, port: place.port };
}

// TLS for clients: secureClientPort, client.portUnification, and client.certReload.

export interface SecurePortOptions {
  readonly config: Config;
  readonly backlog: number;
  readonly step: (event: Event) => void;
  /** Takes a client after its handshake. @param subject of its certificate, if any */
  readonly accept: (socket: Socket, subject: string | undefined) => void;
  readonly onWarning: (message: string) => void;
}

class SecurePort {
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
