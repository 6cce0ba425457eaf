import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from './free-port.js';

/** A TCP proxy on the loopback interface whose faults a test commands. */
export interface TestProxy {
  readonly port: number;
  /** "127.0.0.1:port" */
  readonly connectString: string;
  /** How many chunks clients have sent through it. */
  readonly chunksFromClients: number;
  /** Breaks every connection, and lets new ones through. */
  cut(): void;
  /** Breaks every connection, and new ones as soon as they come, until `mend`. */
  refuse(): void;
  /** Holds back what the server answers, until `mend`. */
  stall(): void;
  mend(): void;
  close(): Promise<void>;
}

export async function startProxy(targetPort: number): Promise<TestProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let isRefusing = false;
  let isStalled = false;
  let chunksFromClients = 0;
  const cut = (): void => {
    for (const [client, server] of pairs) {
      client.destroy();
      server.destroy();
    }
  };
  const proxy: Server = createServer((client) => {
    client.on('error', () => undefined);
    if (isRefusing) {
      client.destroy();
      return;
    }
    const server = connect({ host: '127.0.0.1', port: targetPort, noDelay: true });
    const pair = [client, server] as const;
    pairs.add(pair);
    client.setNoDelay(true);
    server.on('error', () => undefined);
    client.on('data', (chunk) => {
      chunksFromClients++;
      server.write(chunk);
    });
    server.on('data', (chunk) => client.write(chunk));
    if (isStalled) server.pause();
    client.on('end', () => server.end());
    server.on('end', () => client.end());
    client.on('close', () => {
      pairs.delete(pair);
      server.destroy();
    });
    server.on('close', () => client.destroySoon());
  });
  const port = await freePort();
  await new Promise<void>((resolve) => proxy.listen(port, '127.0.0.1', resolve));
  return {
    port,
    connectString: `127.0.0.1:${port}`,
    get chunksFromClients() {
      return chunksFromClients;
    },
    cut,
    refuse: () => {
      isRefusing = true;
      cut();
    },
    stall: () => {
      isStalled = true;
      for (const [, server] of pairs) server.pause();
    },
    mend: () => {
      isRefusing = false;
      isStalled = false;
      for (const [, server] of pairs) server.resume();
    },
    close: async () => {
      isRefusing = true;
      cut();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
