import { createServer, type Server } from 'node:net';

/** Ports of an address that nobody listens on; held all at once, so that none is there twice. */
export async function findFreePorts(count: number, host: string): Promise<number[]> {
  const held: Server[] = [];
  try {
    const ports: number[] = [];
    for (let i = 0; i < count; i++) {
      const probe = createServer();
      held.push(probe);
      ports.push(await portOf(probe, host));
    }
    return ports;
  } finally {
    await Promise.all(
      held.map((probe) => new Promise<void>((resolve) => probe.close(() => resolve()))),
    );
  }
}

function portOf(probe: Server, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    probe.once('error', reject);
    probe.listen(0, host, () => {
      const address = probe.address();
      if (address === null || typeof address === 'string') reject(new Error('no port was bound'));
      else resolve(address.port);
    });
  });
}
