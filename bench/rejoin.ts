/**
 * `npm run bench -- rejoin`: a follower restarts after it missed a million creates, while a client
 * reads from the leader once a millisecond. The longest read shows how long the leader stalls for
 * all clients. Both servers in one run.
 *
 *   npm run bench -- rejoin [--znodes 1000000] [--only zksh|apache]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { prepareLoad, runLoad } from './load.js';
import { LoadConnection } from './load-connection.js';
import { type Member, startEnsemble } from './members.js';
import { apacheVersion, hasApache, modeOf, type ServerKind, startBenchServer } from './servers.js';
import { commit, printTable } from './table.js';

interface RejoinFigures {
  readonly quiet: ReadFigures;
  readonly rejoining: ReadFigures;
  /** From the start of the process until the server serves. */
  readonly rejoinMs: number;
  readonly residentMiB: number;
}

interface ReadFigures {
  readonly reads: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly worstMs: number;
}

const DATA_SIZE = 100;
const PARENTS = 100;
const QUIET_MS = 5000;
/** A million znodes take longer than the usual 20 s on a busy machine. */
const PATIENT = ['initLimit=100'];

async function measure(kind: ServerKind, home: string, znodes: number): Promise<RejoinFigures> {
  const { members } = await startEnsemble(kind, home, PATIENT);
  try {
    const modes = await Promise.all(members.map(({ port }) => modeOf(port)));
    const leader = members[modes.indexOf('leader')] as Member;
    const away = members.find((member) => member !== leader) as Member;
    await prepareLoad(leader.port, '/bench', DATA_SIZE);
    await away.server.kill();
    const ports = members.filter((member) => member !== away).map(({ port }) => port);
    await makeZnodes(ports, znodes);
    const quiet = await readUntil(leader.port, delay(QUIET_MS));
    const startedAt = performance.now();
    const back = startBenchServer(kind, home, { folder: away.folder, seat: away });
    const rejoining = await readUntil(leader.port, back);
    away.server = await back;
    const rejoinMs = performance.now() - startedAt;
    return { quiet, rejoining, rejoinMs, residentMiB: leader.server.residentMiB() };
  } finally {
    for (const { server } of members) await server.stop();
  }
}

async function makeZnodes(ports: readonly number[], znodes: number): Promise<void> {
  for (let i = 0; i < PARENTS; i++) {
    const parent = `/p${i}`;
    await prepareLoad(ports[0] ?? 0, parent, DATA_SIZE);
    await runLoad({
      port: ports,
      op: 'create',
      connections: 10,
      inFlight: 32,
      count: Math.ceil(znodes / PARENTS),
      warmUp: 0,
      size: DATA_SIZE,
      maxSeconds: 60,
      parent,
    });
  }
}

/** One read a millisecond, or the next at once if a read takes longer. */
async function readUntil(port: number, end: Promise<unknown>): Promise<ReadFigures> {
  const connection = await LoadConnection.open(port);
  const times: number[] = [];
  let isOver = false;
  const over = end.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const ms = await connection.read('/bench/node');
    times.push(ms);
    if (ms < 1) await delay(1);
  }
  await over;
  await connection.close();
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor((times.length - 1) * share)] ?? Number.NaN;
  return { reads: times.length, medianMs: at(0.5), p99Ms: at(0.99), worstMs: at(1) };
}

const { values } = parseArgs({
  options: { znodes: { type: 'string', default: '1000000' }, only: { type: 'string' } },
});
const znodes = Number(values.znodes);
const kinds = (['zksh', 'apache'] as const).filter(
  (kind) => (values.only ?? kind) === kind && (kind === 'zksh' || hasApache()),
);
const loadBefore = loadavg()[0] ?? 0;
const home = mkdtempSync(join(tmpdir(), 'zksh-bench-'));
try {
  const figures = new Map<ServerKind, RejoinFigures>();
  for (const kind of kinds) {
    const found = await measure(kind, home, znodes);
    process.stderr.write(`${kind} ${JSON.stringify(found)}\n`);
    figures.set(kind, found);
  }
  console.log(
    `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown processor'}), commit ${commit()},`,
  );
  console.log(
    `Node.js ${process.versions.node}, Apache ZooKeeper ${hasApache() ? apacheVersion() : 'not installed'},`,
  );
  console.log(`load average ${loadBefore.toFixed(1)} before\n`);
  const row = (name: string, read: (found: RejoinFigures) => number, digits = 1): string[] => [
    name,
    ...kinds.map((kind) => read(figures.get(kind) as RejoinFigures).toFixed(digits)),
  ];
  printTable([
    [`${znodes.toLocaleString('en')} znodes missed`, ...kinds],
    row('start of the follower until it serves, ms', (found) => found.rejoinMs, 0),
    row('longest read of the leader meanwhile, ms', (found) => found.rejoining.worstMs),
    row('p99 of a read meanwhile, ms', (found) => found.rejoining.p99Ms),
    row('median of a read meanwhile, ms', (found) => found.rejoining.medianMs),
    row('longest read in 5 s before, ms', (found) => found.quiet.worstMs),
    row('p99 of a read before, ms', (found) => found.quiet.p99Ms),
    row('resident memory of the leader, MiB', (found) => found.residentMiB, 0),
  ]);
} finally {
  rmSync(home, { recursive: true, force: true });
}
