import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { DEFAULT_MAX_BUFFER } from '../../../src/client/session/request.js';

/** A server as Apache's: it closes a connection at a request above jute.maxbuffer. */
export async function startStrictRelay(
  port: number,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const relay = createServer((client) => {
    const server = connect(port, '127.0.0.1');
    let received = 0;
    client.on('data', (chunk) => {
      received += chunk.length;
      if (received > DEFAULT_MAX_BUFFER) client.destroy();
      else server.write(chunk);
    });
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
