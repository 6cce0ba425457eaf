import type { Config } from '../../config/config.js';
import type { Event } from '../../events.js';
import { ClientPort } from './client-port.js';
import { SecurePort } from './secure-port.js';

export interface ClientPortsOptions {
  readonly config: Config;
  readonly host: string;
  /** Default: clientPort of `config`, or 0 (a free port) unless there is a TLS port. */
  readonly port: number | null | undefined;
  /** Default: secureClientPort of `config`. */
  readonly securePort: number | null | undefined;
  readonly step: (event: Event) => void;
  readonly onWarning: (message: string) => void;
}

/** The ports for clients: without TLS, with TLS, or both on one port. */
export class ClientPorts {
  /** Has the clients of both ports. */
  readonly plain: ClientPort;
  readonly secure: SecurePort | undefined;
  private readonly onWarning: (message: string) => void;
  host: string;

  /** @throws ServerError ECONFIG when the ssl.* options name no usable certificate */
  constructor({ config, host, port, securePort, step, onWarning }: ClientPortsOptions) {
    this.host = host;
    this.onWarning = onWarning;
    const secureAt = securePort === undefined ? config.secureClientPort : securePort;
    const plainAt = config.clientPort ?? (secureAt === null ? 0 : null);
    const backlog = config.clientPortListenBacklog;
    this.secure =
      secureAt === null && !config.clientPortUnification
        ? undefined
        : new SecurePort({
            config,
            host: config.secureClientPortAddress ?? host,
            port: secureAt,
            backlog,
            step,
            accept: (socket, subject) => this.plain.accept(socket, subject),
            onWarning,
          });
    const { secure } = this;
    this.plain = new ClientPort({
      host,
      port: port === undefined ? plainAt : port,
      backlog,
      isKeptAlive: config.clientTcpKeepAlive,
      step,
      onWarning,
      ...(secure !== undefined && config.clientPortUnification
        ? { takeEither: (socket, acceptPlain) => secure.takeEither(socket, acceptPlain) }
        : {}),
    });
  }

  /** -1 without a plain port. */
  get port(): number {
    return this.plain.port;
  }

  get securePort(): number {
    return this.secure?.port ?? -1;
  }

  get outstandingHandshakes(): number {
    return this.secure?.outstandingHandshakes ?? 0;
  }

  /** "127.0.0.1:2181", or "zks://127.0.0.1:2281" without a plain port. */
  get connectString(): string {
    if (this.port !== -1) return formatAddress(this.host, this.port);
    return `zks://${formatAddress(this.secure?.host ?? this.host, this.securePort)}`;
  }

  async listen(): Promise<void> {
    await this.plain.listen();
    await this.secure?.listen();
  }

  /** Moves the plain port, which stays if the new place is not available. */
  move(host: string, port: number): void {
    this.plain.move({ host, port }).then(
      () => {
        this.host = host;
      },
      (error: Error) => {
        const stays = this.port === -1 ? '' : `; still listening on ${this.connectString}`;
        this.onWarning(`${error.message}${stays}`);
      },
    );
  }

  async shutDown(): Promise<void> {
    // The plain port has the clients that the other port waits for.
    await Promise.all([this.secure?.shutDown(), this.plain.shutDown()]);
  }
}

function formatAddress(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
