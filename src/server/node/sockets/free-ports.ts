import { createServer, type Server } from 'node:net';

/**
 * Below the source ports of connections (from 32768 on Linux, from 49152 on others), which may be
 * in use before a server listens there.
 */
const FIRST = 10_240;
const BLOCK = 64;
const BLOCKS = (32_768 - FIRST) / BLOCK;
/** A process that needs more ports uses its own again. */
const MAX_OWN = 8;

/** First ports of the blocks of this process. */
const own: number[] = [];
/** The next port is this one in all own blocks. */
let next = 0;

/**
 * Unused ports of an address; holds all at once, so that they differ. Concurrent processes, such as
 * test runners, get ports of different blocks: nobody may take a port before its server listens.
 */
export async function findFreePorts(count: number, host: string): Promise<number[]> {
  const held: Server[] = [];
  try {
    const ports: number[] = [];
    for (let tries = 0; ports.length < count; tries++) {
      if (tries > MAX_OWN * BLOCK) {
        throw new Error(`not enough free ports on ${host} (expected ${count})`);
      }
      const port = await nextPort(host);
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

async function nextPort(host: string): Promise<number> {
  while (next >= own.length * BLOCK && own.length < MAX_OWN) own.push(await claimBlock(host));
  const at = next++ % (own.length * BLOCK);
  return (own[Math.floor(at / BLOCK)] as number) + (at % BLOCK);
}

/** Listens on the first port of a block until the process ends. */
async function claimBlock(host: string): Promise<number> {
  const start = Math.floor(Math.random() * BLOCKS);
  for (let tries = 0; tries < BLOCKS; tries++) {
    const first = FIRST + ((start + tries) % BLOCKS) * BLOCK;
    const claim = createServer((socket) => socket.destroy());
    if (!(await isFree(claim, first, host))) continue;
    claim.unref();
    return first;
  }
  throw new Error(`no free block of ports on ${host}: other processes have all ${BLOCKS}`);
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
