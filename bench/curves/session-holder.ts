/**
 * A process of bench:curves that holds idle sessions, because the limit of open files counts for
 * each process. A message is the number of sessions to have; 0 is a heartbeat. It answers each.
 *
 *   node session-holder.js PORT
 */
import { LoadConnection } from '../load-connection.js';

/** Below the listen backlog of 50, because a dropped SYN would add a second of waiting. */
const CONNECTING_AT_ONCE = 40;

const port = Number(process.argv[2]);
const clients: LoadConnection[] = [];

process.on('message', async (size: number) => {
  while (clients.length < size) {
    const batch = Math.min(CONNECTING_AT_ONCE, size - clients.length);
    const opened = Array.from({ length: batch }, () => LoadConnection.open(port));
    clients.push(...(await Promise.all(opened)));
  }
  await Promise.all(clients.map((client) => client.read('/bench/node')));
  process.send?.(clients.length);
});
process.on('disconnect', () => process.exit());
