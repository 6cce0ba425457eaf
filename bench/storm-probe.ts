/**
 * A worker of bench:storm: the thread of the sessions is too busy to time a read. It reads all the
 * time from the members that stay, until it gets a message. Then it posts the longest read in ms. A
 * lost connection does not count.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { LoadConnection } from './load-connection.js';

export interface ProbeOptions {
  readonly ports: readonly number[];
  readonly path: string;
}

const { ports, path } = workerData as ProbeOptions;
let isOver = false;
let worstMs = 0;
parentPort?.once('message', () => {
  isOver = true;
});
for (let i = 0; !isOver; i++) {
  const connection = await LoadConnection.open(ports[i % ports.length] ?? 0).catch(() => null);
  while (connection !== null && !isOver) {
    const ms = await Promise.race([connection.read(path), connection.closed]);
    if (ms === undefined) break;
    worstMs = Math.max(worstMs, ms);
  }
  connection?.destroy();
}
parentPort?.postMessage(worstMs);
