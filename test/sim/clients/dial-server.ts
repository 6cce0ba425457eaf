import type { End, Socket } from '../nodes/network.js';
import type { ServerNode } from '../nodes/server-node.js';
import type { ClientWorld } from './client-world.js';

interface Dialing {
  readonly id: number;
  readonly identity: { readonly address: string };
}

/** Connects a client to a server that is up. */
export function dialServer(
  { network }: Pick<ClientWorld, 'network'>,
  { id, identity }: Dialing,
  server: ServerNode,
  end: End,
): Socket {
  const other = server.sockets.acceptClient(() => sockets.ofB, identity.address);
  const sockets = network.connect(id, end, server.sid, other);
  other.begin();
  return sockets.ofA;
}
