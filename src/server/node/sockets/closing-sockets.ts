/** Closing sockets of clients: pending output may leave, until a deadline and up to a number. */
import type { Socket } from 'node:net';
import { LIMITS, type LimitName } from '../../limits/limits.js';
import { addressOf } from './remote-name.js';

export interface ClosingSocketsOptions {
  readonly closingTimeMs?: number;
  readonly maxClosing?: number;
  readonly shutdownTimeMs?: number;
  readonly onLimit: (limit: LimitName, from: string) => void;
}

export class ClosingSockets {
  private readonly options: ClosingSocketsOptions;
  private readonly sockets = new Set<Socket>();
  private isShuttingDown = false;

  constructor(options: ClosingSocketsOptions) {
    this.options = options;
  }

  values(): Iterable<Socket> {
    return this.sockets;
  }

  add(socket: Socket): void {
    if (socket.destroyed || this.sockets.has(socket)) return;
    const { closingTimeMs = LIMITS.closingTime.value, onLimit } = this.options;
    if (!this.isShuttingDown) this.makeRoom();
    this.sockets.add(socket);
    const timer = setTimeout(() => {
      onLimit('closingTime', addressOf(socket));
      socket.destroy();
    }, closingTimeMs);
    socket.once('close', () => {
      clearTimeout(timer);
      this.sockets.delete(socket);
    });
    socket.destroySoon();
  }

  /** A socket without pending output needs no room. */
  private makeRoom(): void {
    const { maxClosing = LIMITS.closingConnections.value, onLimit } = this.options;
    if (this.sockets.size < maxClosing) return;
    for (const oldest of this.sockets) {
      if (oldest.writableLength === 0) continue;
      onLimit('closingConnections', addressOf(oldest));
      oldest.destroy();
      return;
    }
  }

  /** Closes these, too, and destroys the remaining ones at the deadline. */
  shutDown(last: Iterable<Socket>): void {
    const { shutdownTimeMs = LIMITS.shutdownTime.value, onLimit } = this.options;
    this.isShuttingDown = true;
    for (const socket of last) this.add(socket);
    setTimeout(() => {
      const [first] = this.sockets;
      if (first === undefined) return;
      onLimit('shutdownTime', addressOf(first));
      for (const socket of this.sockets) socket.destroy();
    }, shutdownTimeMs).unref();
  }
}
