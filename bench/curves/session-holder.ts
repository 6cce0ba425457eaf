/**
 * A process of bench:curves that holds idle sessions, because the limit of open files counts for
 * each process. A message is the number of sessions to have; 0 is a heartbeat. It answers each.
 *
 *   node session-holder.js PORT
 */
import { LoadConnection } from '../load-connection.js';

/** Below the listen backlog of 50, because a dropped SYN would add a second of waiting. */
const CONNECTING_AT_ONCE = 40;

const HEARTBEAT_MS = 5000;
const GROWN_BETWEEN_HEARTBEATS = 2000;

const port = Number(process.argv[2]);
const clients: LoadConnection[] = [];
/** One at a time: a connection counts replies for one caller. */
let working: Promise<unknown> = Promise.resolve();

const heartbeat = () => Promise.all(clients.map((client) => client.read('/bench/node')));

async function growTo(size: number): Promise<void> {
  while (clients.length < size) {
    const batch = Math.min(CONNECTING_AT_ONCE, size - clients.length);
    const opened = Array.from({ length: batch }, () => LoadConnection.open(port));
    clients.push(...(await Promise.all(opened)));
    if (clients.length % GROWN_BETWEEN_HEARTBEATS === 0) await heartbeat();
  }
  await heartbeat();
}

process.on('message', (size: number) => {
  working = working.then(() => growTo(size)).then(() => process.send?.(clients.length));
});
process.on('disconnect', () => process.exit());
// The sessions of one server would expire while those of the other grow.
setInterval(() => {
  working = working.then(heartbeat);
}, HEARTBEAT_MS);
