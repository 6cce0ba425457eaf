import type { Socket } from 'node:net';

/** Sockets that are not clients yet, counted per address. */
export class PendingSockets {
  private readonly maxPerAddress: number;
  private readonly sockets = new Map<string, Socket>();
  private readonly counts = new Map<string, number>();

  /** @param maxPerAddress 0 disables the limit */
  constructor(maxPerAddress: number) {
    this.maxPerAddress = maxPerAddress;
  }

  /** False if its address has too many. Closed sockets are removed. */
  add(socket: Socket): boolean {
    const address = socket.remoteAddress ?? '';
    const count = this.counts.get(address) ?? 0;
    if (this.maxPerAddress > 0 && count >= this.maxPerAddress) return false;
    const key = keyOf(socket);
    this.sockets.set(key, socket);
    this.counts.set(address, count + 1);
    socket.once('close', () => this.drop(key, address));
    return true;
  }

  /** @param socket the added one, or the TLS socket over it */
  remove(socket: Socket): void {
    this.drop(keyOf(socket), socket.remoteAddress ?? '');
  }

  values(): readonly Socket[] {
    return [...this.sockets.values()];
  }

  private drop(key: string, address: string): void {
    if (!this.sockets.delete(key)) return;
    const left = (this.counts.get(address) ?? 1) - 1;
    if (left > 0) this.counts.set(address, left);
    else this.counts.delete(address);
  }
}

/** After a handshake, Node has another object for the same connection. */
export function keyOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}
