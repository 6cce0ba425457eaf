/**
 * `npm run bench -- threads`: what reads on other threads would gain, from measured costs.
 * Nothing of this design is built.
 *
 *   npm run bench -- threads [--cores 8] [--read 0.9] [--write 3.5] [--sockets 0.45] [--pass 0.25]
 *
 * The costs are microseconds of one core: of a read and of a write on the main thread as `npm
 * run bench` prints them, their share for sockets, and a request that goes to another thread
 * and back in a ring of shared memory, in batches of a turn.
 *
 * The design. The main thread decides writes, writes the log, and applies committed txns, as
 * today. Each other thread accepts connections, parses their requests, answers reads from the
 * tree, which is in shared memory, and passes writes on. What that needs:
 *
 * - A tree at a zxid. A reader must see no half-applied txn, and a block that is freed must not
 *   be used again while one reads it. The main thread applies the txns of a turn between two
 *   values of a counter (a seqlock): a reader that finds the counter odd, or changed after its
 *   read, reads again. Freed blocks wait until every reader has passed a turn (an epoch). The
 *   path table must grow beside the old one. So each lookup checks lengths that it read,
 *   because it may read garbage before it learns that the counter has changed: slots, lengths,
 *   and offsets need bounds.
 * - The order of a session. A read waits for the writes before it. The thread of the connection
 *   keeps the order, as today: a read behind a write waits for its reply in the ring. So a
 *   session never moves to another thread, and a connection that resumes it elsewhere waits for
 *   the old one.
 * - Watches. A read that sets a watch must set it before the next change of the znode is
 *   applied, or the change is lost. Each thread has the watches of its connections. It
 *   registers one, then checks the counter again: if a txn was applied since the read, it reads
 *   again. The main thread sends the changed paths of a turn to every thread, before the
 *   replies of the writes. A thread sends events before any response that shows the change, as
 *   it handles the ring in order.
 * - ACLs, quotas, and metrics of reads: the ids of a connection stay with its thread; counters
 *   are one for each thread, and are added up when somebody asks.
 * - A snapshot of the tree is as today: the main thread writes it in slices.
 *
 * What it costs in code: the tables of the tree (2,100 lines) would need a second, checked way
 * to read; reads, watches, sessions, back-pressure, and the ports (3,000 lines) would need one
 * more owner for each field; the simulator would have to interleave threads at each access to
 * the tree, where today a step of the core is atomic. That is the price: proofs by whole steps
 * are what keeps this server right. The table says what one would get for it.
 */
import { parseArgs } from 'node:util';
import { printTable } from './table.js';

const { values } = parseArgs({
  options: {
    cores: { type: 'string', default: '8' },
    read: { type: 'string', default: '0.9' },
    write: { type: 'string', default: '3.5' },
    sockets: { type: 'string', default: '0.45' },
    pass: { type: 'string', default: '0.25' },
  },
});

interface Costs {
  readonly read: number;
  readonly write: number;
  readonly sockets: number;
  readonly pass: number;
}

/** Requests a second of one thread that does everything. */
function alone({ read, write }: Costs, share: number): number {
  return 1e6 / (share * read + (1 - share) * write);
}

/** The same with `readers` threads more: the first thread that is busy all the time limits them. */
function together(costs: Costs, share: number, readers: number): number {
  const { read, write, sockets, pass } = costs;
  const main = (1 - share) * (write - sockets + pass);
  const others = (share * read + (1 - share) * (sockets + pass)) / readers;
  return 1e6 / Math.max(main, others);
}

const costs: Costs = {
  read: Number(values.read),
  write: Number(values.write),
  sockets: Number(values.sockets),
  pass: Number(values.pass),
};
/** The log, the collector, and the kernel's side of the sockets need a core. */
const readers = Math.max(1, Number(values.cores) - 2);
const rows = [0, 0.5, 0.9, 0.99, 1].map((share) => {
  const [one, all] = [alone(costs, share), together(costs, share, readers)];
  const count = (value: number): string => Math.round(value).toLocaleString('en');
  return [`${share * 100} %`, count(one), count(all), (all / one).toFixed(2)];
});
printTable([['reads', 'one thread, requests/s', `${readers} more for reads`, 'ratio'], ...rows]);
