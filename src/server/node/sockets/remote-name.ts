/** Who is at the other end of a socket, for logs and reports: one that is gone has no address. */
import type { Socket } from 'node:net';
import { plainIp } from './listen.js';

/** Node.js takes the socket from some requests that are over, whatever its types say. */
type Remote = Pick<Socket, 'remoteAddress' | 'remotePort'> | null;

/** The address alone. */
export function addressOf(socket: Remote): string {
  const address = socket?.remoteAddress;
  return address === undefined ? 'an unknown address' : plainIp(address);
}

/** With the port. */
export function nameOf(socket: Remote): string {
  const port = socket?.remotePort;
  return port === undefined ? addressOf(socket) : `${addressOf(socket)}:${port}`;
}
