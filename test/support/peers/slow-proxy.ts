import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../machine/free-port.js';

/** Forwards to a port of this machine; answers come at a limited rate. */
export interface SlowProxy {
  readonly port: number;
  /** Bytes that were forwarded to callers. */
  readonly forwarded: number;
  close(): Promise<void>;
}

const STEP_MS = 20;

async function forwardSlowly(
  from: Socket,
  to: Socket,
  bytesPerSecond: number,
  onBytes: (size: number) => void,
): Promise<void> {
  const most = Math.ceil((bytesPerSecond * STEP_MS) / 1000);
  for await (const chunk of from as AsyncIterable<Buffer>) {
    for (let at = 0; at < chunk.length; at += most) {
      const part = chunk.subarray(at, at + most);
      if (to.destroyed) return;
      to.write(part);
      onBytes(part.length);
      await delay((part.length / bytesPerSecond) * 1000);
    }
  }
  to.end();
}

export async function startSlowProxy(target: number, bytesPerSecond: number): Promise<SlowProxy> {
  const port = await freePort();
  const sockets = new Set<Socket>();
  let forwarded = 0;
  const server = createServer((caller) => {
    const callee = connect({ port: target, host: '127.0.0.1' });
    for (const socket of [caller, callee]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        sockets.delete(socket);
        caller.destroy();
        callee.destroy();
      });
    }
    caller.pipe(callee);
    const count = (size: number): void => {
      forwarded += size;
    };
    forwardSlowly(callee, caller, bytesPerSecond, count).catch(() => caller.destroy());
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    port,
    get forwarded() {
      return forwarded;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
