/**
 * `npm run bench -- ensemble`: measures three of our servers and three of Apache's under the same
 * loads in rounds in turn on one machine, and the time that each ensemble has no leader. Prints
 * tables for bench/RESULTS.md, with medians.
 *
 *   npm run bench -- ensemble [--quick] [--rounds 7] [--kills 10]
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { median } from './figures.js';
import { type LoadOp, type LoadResult, prepareLoad, runLoad } from './load.js';
import { LoadConnection } from './load-connection.js';
import { type Ensemble, startEnsemble } from './members.js';
import { apacheVersion, hasApache, modeOf, type ServerKind, startBenchServer } from './servers.js';
import { commit, printTable } from './table.js';

const CONNECTIONS = 12;
const IN_FLIGHT = 32;
const PATIENCE_MS = 500;

/** From kill -9 of the leader until a write through another member is acknowledged, in ms. */
async function timeLeaderKill({ kind, members }: Ensemble, home: string): Promise<number> {
  const modes = await Promise.all(members.map(({ port }) => modeOf(port)));
  const leader = members[modes.indexOf('leader')];
  if (leader === undefined) throw new Error(`nobody leads: ${modes.join(', ')}`);
  const others = members.filter((member) => member !== leader);
  const killedAt = performance.now();
  await leader.server.kill();
  for (let i = 0; ; i++) {
    const port = others[i % others.length]?.port ?? 0;
    if (await isWritten(port)) break;
    if (performance.now() - killedAt > 60_000) throw new Error('no write for a minute');
  }
  const ms = performance.now() - killedAt;
  const { folder, port, lines } = leader;
  leader.server = await startBenchServer(kind, home, { folder, seat: { port, lines } });
  return ms;
}

async function isWritten(port: number): Promise<boolean> {
  let connection: LoadConnection | undefined;
  const late = new Promise<false>((resolve) => setTimeout(resolve, PATIENCE_MS, false));
  const done = (async () => {
    connection = await LoadConnection.open(port);
    await connection.set('/bench/node');
    return true;
  })().catch(() => false);
  const isDone = await Promise.race([done, late]);
  connection?.destroy();
  return isDone;
}

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '7' },
    kills: { type: 'string', default: '10' },
  },
});
const share = values.quick ? 0.1 : 1;
const LOADS: readonly (readonly [op: LoadOp, count: number])[] = [
  ['get', 600_000],
  ['set', 150_000],
  ['create', 100_000],
];

const home = mkdtempSync(join(tmpdir(), 'zksh-bench-'));
const kinds: readonly ServerKind[] = hasApache() ? ['zksh', 'apache'] : ['zksh'];
const ensembles: Ensemble[] = [];
try {
  const results = new Map<string, LoadResult[]>();
  const resultsOf = (op: LoadOp, kind: ServerKind) => results.get(`${op} ${kind}`) ?? [];
  const gaps = new Map<ServerKind, number[]>();
  for (const kind of kinds) ensembles.push(await startEnsemble(kind, home));
  for (const { members } of ensembles) await prepareLoad(members[0]?.port ?? 0, '/bench', 100);
  // The first round warms up both.
  const turns = Array.from({ length: Number(values.rounds) + 1 }, (_, round) =>
    ensembles.map((ensemble) => ({ ...ensemble, isCounted: round > 0 })),
  ).flat();
  for (const [op, count] of LOADS) {
    for (const { kind, members, isCounted } of turns) {
      const result = await runLoad({
        port: members.map(({ port }) => port),
        op,
        connections: CONNECTIONS,
        inFlight: IN_FLIGHT,
        count: Math.ceil(count * share),
        warmUp: Math.ceil(count * share * 0.1),
        size: 100,
        maxSeconds: 30,
        parent: '/bench',
      });
      if (isCounted) results.set(`${op} ${kind}`, [...resultsOf(op, kind), result]);
    }
  }
  for (const ensemble of ensembles) {
    const times: number[] = [];
    for (let i = Number(values.kills); i > 0; i--) times.push(await timeLeaderKill(ensemble, home));
    gaps.set(ensemble.kind, times);
  }
  const model = cpus()[0]?.model ?? 'unknown processor';
  console.log(`${availableParallelism()} cores (${model}), commit ${commit()},`);
  console.log(`Node.js ${process.versions.node}, Apache ZooKeeper ${apacheVersion()},`);
  console.log(`medians of ${values.rounds} rounds\n`);
  const whole = (value: number | undefined): string => Math.round(value ?? 0).toLocaleString('en');
  const ratio = (ours: number | undefined, theirs: number | undefined): string =>
    ((ours ?? Number.NaN) / (theirs ?? Number.NaN)).toFixed(2);
  printTable([
    [
      '3 members, 12 x 32',
      'zksh ops/s',
      'p99 ms',
      'Apache ops/s',
      'p99 ms',
      'ratio',
      'of all rounds',
    ],
    ...LOADS.map(([op]) => {
      const [ours, theirs] = [resultsOf(op, 'zksh'), resultsOf(op, 'apache')];
      const speeds = (all: readonly LoadResult[]) => all.map(({ opsPerSecond }) => opsPerSecond);
      const p99 = (all: readonly LoadResult[]) => median(all.map(({ p99Ms }) => p99Ms)).toFixed(1);
      const other = speeds(theirs);
      const ratios = speeds(ours).map((speed, i) => speed / (other[i] ?? Number.NaN));
      const ends = [Math.min(...ratios), Math.max(...ratios)].map((end) => end.toFixed(2));
      return [
        op,
        whole(median(speeds(ours))),
        p99(ours),
        whole(median(other)),
        p99(theirs),
        median(ratios).toFixed(2),
        ends.join(' to '),
      ];
    }),
  ]);
  const ready = (kind: ServerKind) => ensembles.find((each) => each.kind === kind)?.readyMs;
  const gap = (kind: ServerKind) => median(gaps.get(kind) ?? []);
  printTable([
    ['', 'zksh', 'Apache', 'ratio'],
    [
      'empty ensemble ready, ms',
      whole(ready('zksh')),
      whole(ready('apache')),
      ratio(ready('zksh'), ready('apache')),
    ],
    [
      'kill -9 of the leader until a write is acknowledged, ms, median',
      whole(gap('zksh')),
      whole(gap('apache')),
      ratio(gap('zksh'), gap('apache')),
    ],
  ]);
} finally {
  for (const { members } of ensembles) for (const { server } of members) await server.stop();
  rmSync(home, { recursive: true, force: true });
}
