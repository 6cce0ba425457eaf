import { createConnection, type Socket } from 'node:net';
import type { ServerAddress } from './connect-string.js';
import { describeSocketError } from './socket-fault.js';

export interface ConnectionEvents {
  connected(): void;
  /** Bytes that came; the buffer is used again after the call. */
  received(chunk: Buffer): void;
  /** Comes once, unless the connection was destroyed here. Without a fault the server closed it. */
  closed(fault: Error | undefined): void;
}

const READ_BUFFER_SIZE = 64 * 1024;

/**
 * One TCP connection to one server, from dialling to its end. It reads into one buffer that is used
 * again and again, and puts the faults of the network into words that name the server.
 */
export class Connection {
  private readonly socket: Socket;
  private events: ConnectionEvents | undefined;
  private fault: Error | undefined;

  constructor(address: ServerAddress, events: ConnectionEvents) {
    this.events = events;
    this.socket = createConnection({
      host: address.host,
      port: address.port,
      noDelay: true,
      keepAlive: true,
      onread: {
        buffer: Buffer.allocUnsafe(READ_BUFFER_SIZE),
        callback: (length, buffer) => {
          // The buffer is the one given above; its type is wider than what arrives.
          this.events?.received((buffer as Buffer).subarray(0, length));
          return true;
        },
      },
    });
    this.socket.on('connect', () => this.events?.connected());
    this.socket.on('error', (error) => {
      this.fault = describeSocketError(error, address);
    });
    this.socket.on('close', () => {
      const { events: listener } = this;
      this.events = undefined;
      listener?.closed(this.fault);
    });
  }

  write(bytes: Buffer): void {
    this.socket.write(bytes);
  }

  /** Ends it at once and without a further event: a silent server must not keep the process. */
  destroy(): void {
    this.events = undefined;
    this.socket.destroy();
  }
}
