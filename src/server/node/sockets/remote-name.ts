/** Names the other end of a socket in logs; a closed socket has no address. */
import type { Socket } from 'node:net';
import { plainIp } from './listen.js';

/** Node.js removes the socket of some finished requests, in spite of its type. */
type Remote = Pick<Socket, 'remoteAddress' | 'remotePort'> | null;

export function addressOf(socket: Remote): string {
  const address = socket?.remoteAddress;
  return address === undefined ? 'an unknown address' : plainIp(address);
}

export function nameOf(socket: Remote): string {
  const port = socket?.remotePort;
  return port === undefined ? addressOf(socket) : `${addressOf(socket)}:${port}`;
}
