import { createServer, type Server } from 'node:net';

/**
 * Below the source ports of connections (from 32768 on Linux, from 49152 on others), which may be
 * in use before a server listens there.
 */
const FIRST = 10_240;
const COUNT = 32_768 - FIRST;
/** Concurrent processes start their searches at different ports. */
const STRIDE = 509;
let looked = (process.pid * STRIDE) % COUNT;

/** Unused ports of an address; holds all at once, so that they differ. */
export async function findFreePorts(count: number, host: string): Promise<number[]> {
  const held: Server[] = [];
  try {
    const ports: number[] = [];
    for (let tries = 0; ports.length < count; tries++) {
      if (tries === COUNT) throw new Error(`not enough free ports on ${host} (expected ${count})`);
      const port = FIRST + (looked++ % COUNT);
      const probe = createServer();
      if (!(await isFree(probe, port, host))) continue;
      held.push(probe);
      ports.push(port);
    }
    return ports;
  } finally {
    await Promise.all(
      held.map((probe) => new Promise<void>((resolve) => probe.close(() => resolve()))),
    );
  }
}

/** If true, the probe listens. @throws Error when the address cannot be used */
function isFree(probe: Server, port: number, host: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(false);
      else reject(error);
    });
    probe.listen(port, host, () => resolve(true));
  });
}
