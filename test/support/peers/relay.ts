import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Relay {
  readonly port: number;
  close(): Promise<void>;
}

/** Gets what a client sends; `forward` passes it to the server. */
type OnChunk = (chunk: Buffer, forward: (chunk: Buffer) => void, client: Socket) => void;

/**
 * A relay to a server, which answers the client itself.
 * @param begin is called for each connection
 */
export async function startRelay(port: number, begin: () => OnChunk): Promise<Relay> {
  const sockets = new Set<Socket>();
  const relay = createServer((client) => {
    const server = connect(port, '127.0.0.1');
    const onChunk = begin();
    client.on('data', (chunk) => onChunk(chunk, (bytes) => server.write(bytes), client));
    server.pipe(client);
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => other.destroy());
    }
  });
  await once(relay.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (relay.address() as AddressInfo).port,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      relay.close();
      await once(relay, 'close');
    },
  };
}
