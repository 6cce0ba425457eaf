/** TLS between servers (sslQuorum); with portUnification, servers without TLS, too. */
import { isIP, type Socket } from 'node:net';
import { connect, type SecureContextOptions, type TLSSocket } from 'node:tls';
import { lookupInTurn } from '../../../base/lookup-in-turn.js';
import type { Config } from '../../config/config.js';
import type { Event } from '../../events.js';
import type { HostPort } from '../../quorum/wire/election-preamble.js';
import { RateLimitedWarnings } from '../log/rate-limited-warnings.js';
import { PLAIN, type Transport } from '../sockets/dial.js';
import { plainIp } from '../sockets/listen.js';
import { checkHost } from '../sockets/names-host.js';
import { keyOf } from '../sockets/pending-sockets.js';
import { reverseNames } from '../sockets/reverse-names.js';
import { FileWatcher } from './file-watcher.js';
import { makeRevocation, type Revocation } from './revocation.js';
import { makeTrustCheck } from './self-issued.js';
import { TlsGate } from './tls-gate.js';
import { readQuorumTlsOptions } from './tls-options.js';

/** @throws ServerError ECONFIG when the ssl.quorum.* options name no usable certificate */
export function makeTransport(
  config: Config,
  step: (event: Event) => void,
  onWarning: (message: string) => void,
): Transport {
  const { sslQuorum, portUnification } = config;
  return sslQuorum || portUnification ? new QuorumTls(config, step, onWarning) : PLAIN;
}

class QuorumTls implements Transport {
  private readonly config: Config;
  private readonly gate: TlsGate;
  private readonly watcher: FileWatcher | undefined;
  private context: SecureContextOptions;
  private isTrusted: (socket: TLSSocket) => boolean;
  private revocation: Revocation | undefined;
  /** The callbacks of handshakes in progress, by the underlying socket. */
  private readonly waiting = new Map<string, (socket: Socket) => void>();

  constructor(config: Config, step: (event: Event) => void, onWarning: (message: string) => void) {
    this.config = config;
    const tls = readQuorumTlsOptions(config, onWarning);
    this.context = tls.context;
    this.isTrusted = makeTrustCheck(tls.context);
    this.revocation = makeRevocation(tls);
    const warnings = new RateLimitedWarnings(onWarning);
    this.gate = new TlsGate({
      tls,
      maxHandshakes: 0,
      maxPerAddress: 0,
      detectionTimeoutMs: config.sslQuorumHandshakeDetectionTimeoutMs,
      accept: (socket) => this.hand(socket),
      onFailure: (reason) =>
        warnings.say(`TLS between servers: ${reason}`, reason.replace(/^\S+:\d+ /, '')),
      onTooMany: () => undefined,
      onRejected: () => undefined,
      onLimit: (limit, from, value) => step({ kind: 'limit-exceeded', limit, from, value }),
    });
    this.watcher = config.sslQuorumReloadCertFiles
      ? new FileWatcher(tls.files, () => this.reload(onWarning), onWarning)
      : undefined;
  }

  open(address: HostPort): ReturnType<Transport['open']> {
    if (!this.config.sslQuorum) return PLAIN.open(address);
    const { host, port } = address;
    const socket = connect({
      ...this.context,
      host,
      port,
      lookup: lookupInTurn,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      // The listener below decides: it trusts more than OpenSSL does.
      rejectUnauthorized: false,
      checkServerIdentity: () => undefined,
    });
    socket.once('secureConnect', () => {
      this.faultOf(socket, host).then(
        (fault) => {
          if (socket.destroyed) return;
          if (fault === undefined) socket.emit('trusted');
          else socket.destroy(fault);
        },
        (error) => socket.destroy(error),
      );
    });
    socket.setNoDelay(true);
    return { socket, ready: 'trusted' };
  }

  /** A certificate counts only if its authority is trusted. */
  private async faultOf(socket: TLSSocket, host: string): Promise<Error | undefined> {
    if (!this.isTrusted(socket)) {
      return new Error(`certificate is not accepted: ${String(socket.authorizationError)}`);
    }
    const { revocation } = this;
    const fault = await this.nameFaultOf(socket, host);
    if (fault !== undefined) return fault;
    const reason = await revocation?.find(socket);
    return reason === undefined ? undefined : new Error(`certificate is not accepted: ${reason}`);
  }

  private async nameFaultOf(socket: TLSSocket, host: string): Promise<Error | undefined> {
    if (!this.config.sslQuorumHostnameVerification) return undefined;
    const certificate = socket.getPeerCertificate();
    const isNamed = (name: string) => checkHost(name, certificate) === undefined;
    const fault = checkHost(host, certificate);
    if (fault === undefined) return undefined;
    // As in Apache's server, the address of the name is enough.
    if (isNamed(plainIp(socket.remoteAddress ?? ''))) return undefined;
    if (isIP(host) === 0 || !this.config.sslQuorumAllowReverseDnsLookup) return fault;
    return (await reverseNames(host)).some(isNamed) ? undefined : fault;
  }

  take(socket: Socket, accept: (socket: Socket) => void): void {
    const key = keyOf(socket);
    this.waiting.set(key, accept);
    socket.once('close', () => this.waiting.delete(key));
    this.gate.take(socket, this.config.portUnification ? accept : undefined);
  }

  close(): void {
    this.watcher?.close();
    this.revocation?.close();
    this.gate.close();
  }

  private hand(socket: Socket): void {
    // A server that sent its FIN is gone.
    socket.allowHalfOpen = false;
    const accept = this.waiting.get(keyOf(socket));
    if (accept === undefined) socket.destroy();
    else accept(socket);
  }

  private reload(onWarning: (message: string) => void): void {
    try {
      const tls = readQuorumTlsOptions(this.config, onWarning);
      this.context = tls.context;
      this.isTrusted = makeTrustCheck(tls.context);
      this.revocation = makeRevocation(tls);
      this.gate.reload(this.context);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      onWarning(`certificates: cannot reload: ${why}. The previous ones stay in use`);
    }
  }
}
