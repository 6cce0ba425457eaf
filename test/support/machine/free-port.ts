import { findFreePorts } from '../../../src/server/node/sockets/free-ports.js';

/** A port of the loopback interface that was free a moment ago. */
export async function freePort(): Promise<number> {
  const [port = 0] = await findFreePorts(1, '127.0.0.1');
  return port;
}
