import { createConnection, type NetConnectOpts, type OnReadOpts, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { loadTls } from '../../base/load-on-demand.js';
import { lookupInTurn } from '../../base/lookup-in-turn.js';
import type { ServerAddress } from './connect-string.js';
import { describeSocketError, SocketFault } from './socket-fault.js';
import { certificateFault, type TlsOptions, tlsConnectOptions } from './tls.js';
import { describeTlsClose, describeTlsError, looksLikeTls, plainToSecure } from './tls-faults.js';

export interface ConnectionEvents {
  connected(): void;
  /** Received bytes; the buffer is reused after the call. */
  received(chunk: Buffer): void;
  /** Called once, unless destroy() was called. No fault means that the server closed it. */
  closed(fault: Error | undefined): void;
}

const READ_BUFFER_SIZE = 64 * 1024;

/** Reuses one buffer for all reads. Network errors become sentences that name the server. */
export class Connection {
  private readonly socket: Socket;
  private readonly address: ServerAddress;
  private readonly tls: TlsOptions | undefined;
  private events: ConnectionEvents | undefined;
  private fault: SocketFault | undefined;
  private isOpen = false;
  private hasReceived = false;

  constructor(address: ServerAddress, events: ConnectionEvents, tls?: TlsOptions) {
    this.address = address;
    this.events = events;
    this.tls = tls;
    this.socket = openSocket(address, tls, {
      buffer: Buffer.allocUnsafe(READ_BUFFER_SIZE),
      callback: (length, buffer) => {
        // The buffer given above; only its declared type is wider.
        this.receive((buffer as Buffer).subarray(0, length));
        return true;
      },
    });
    this.socket.on(readyEvent(address), () => {
      this.isOpen = true;
      this.events?.connected();
    });
    this.socket.on('error', (error) => {
      this.fault = this.describe(error);
    });
    this.socket.on('close', () => {
      const { events: listener } = this;
      this.events = undefined;
      listener?.closed(this.fault ?? this.describeClose());
    });
  }

  /** Whether it keeps the process alive. */
  setRef(isRef: boolean): void {
    if (isRef) this.socket.ref();
    else this.socket.unref();
  }

  write(bytes: Buffer): void {
    this.socket.write(bytes);
  }

  /** Closes it without a further event; earlier writes are still sent. */
  destroy(): void {
    this.events = undefined;
    if (this.socket.connecting || !this.isOpen) this.socket.destroy();
    else this.socket.destroySoon();
  }

  private receive(chunk: Buffer): void {
    if (!this.hasReceived && this.address.isSecure !== true && looksLikeTls(chunk)) {
      this.fault = plainToSecure(this.address);
      this.socket.destroy();
      return;
    }
    if (!this.isOpen) {
      this.fault = new SocketFault('tls', this.address, 'sent bytes before it was trusted');
      this.socket.destroy();
      return;
    }
    this.hasReceived = true;
    this.events?.received(chunk);
  }

  private describe(error: Error): SocketFault {
    const { address, tls, isOpen, hasReceived } = this;
    const fault =
      address.isSecure === true
        ? describeTlsError(error, address, tls, { isSecured: isOpen, hasReceived })
        : undefined;
    return fault ?? describeSocketError(error, address);
  }

  private describeClose(): SocketFault | undefined {
    const { address, tls, isOpen, hasReceived } = this;
    if (address.isSecure !== true) return undefined;
    return describeTlsClose(address, tls, { isSecured: isOpen, hasReceived });
  }
}

/** The event of openSocket() that means that the server is the right one, and writable. */
export function readyEvent({ isSecure }: ServerAddress): 'trusted' | 'connect' {
  return isSecure === true ? 'trusted' : 'connect';
}

/** Dials a server; do not write before the event of readyEvent(). */
export function openSocket(
  address: ServerAddress,
  tls: TlsOptions | undefined,
  onread?: OnReadOpts,
): Socket {
  const { host, port } = address;
  const place: NetConnectOpts = {
    host,
    port,
    lookup: lookupInTurn,
    noDelay: true,
    keepAlive: true,
  };
  const reading = onread === undefined ? {} : { onread };
  if (address.isSecure !== true) return createConnection({ ...place, ...reading });
  // The type of `tls` lacks the options of the socket, which it passes on.
  const options = { ...place, ...reading, ...tlsConnectOptions(address, tls) };
  const socket = loadTls().connect(options);
  socket.once('secureConnect', () => {
    const fault = certificateFault(socket, address, tls);
    if (fault !== undefined) socket.destroy(fault);
    else if (tls?.isOcspChecked === true || tls?.isCrlChecked === true) {
      trustUnlessRevoked(socket, tls);
    } else socket.emit('trusted');
  });
  return socket;
}

/** Nobody reads what the server sends before its responders have answered. */
function trustUnlessRevoked(socket: TLSSocket, tls: TlsOptions): void {
  socket.pause();
  import('./revocation.js')
    .then(({ refuseRevoked }) => refuseRevoked(socket, tls))
    .then(
      () => {
        if (socket.destroyed) return;
        socket.emit('trusted');
        socket.resume();
      },
      (error: Error) => socket.destroy(error),
    );
}
