import { createServer, type Server } from 'node:net';

/**
 * Below what kernels give to outgoing connections (from 32768 on Linux, from 49152 on others): one
 * of those may be an end of somebody's connection before a server comes to listen there.
 */
const FIRST = 10_240;
const COUNT = 32_768 - FIRST;
/** Processes that look at the same time look in different places, and none twice in one. */
const STRIDE = 509;
let looked = (process.pid * STRIDE) % COUNT;

/** Ports of an address that nobody listens on; held all at once, so that none is there twice. */
export async function findFreePorts(count: number, host: string): Promise<number[]> {
  const held: Server[] = [];
  try {
    const ports: number[] = [];
    for (let tries = 0; ports.length < count; tries++) {
      if (tries === COUNT) throw new Error(`no ${count} ports of ${host} are free`);
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

/** The probe listens there then. @throws Error when nobody can listen on that address */
function isFree(probe: Server, port: number, host: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(false);
      else reject(error);
    });
    probe.listen(port, host, () => resolve(true));
  });
}
