/**
 * The throughput at each share of reads, with 1, 3, and 5 members: the graph of the published study
 * (Hunt and others, "ZooKeeper: Wait-free coordination for Internet-scale systems", 2010).
 */
import { join } from 'node:path';
import { prepareLoad } from '../load.js';
import { startEnsemble } from '../members.js';
import { type ServerKind, startBenchServer } from '../servers.js';
import type { Curves, CurvesOptions } from './curves-options.js';
import type { Curve } from './plot.js';
import { DATA_SIZE, type Subject, sampleInTurns, warmUp } from './sample.js';

const MEMBERS = [1, 3, 5];
const CONNECTIONS = 12;
const NAMES: Readonly<Record<ServerKind, string>> = { zksh: 'zksh', apache: 'Apache' };

export async function measureReadRatio(options: CurvesOptions): Promise<Curves> {
  const shares = options.isQuick ? [0, 50, 100] : [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100];
  const curves: Curve[] = [];
  for (const size of MEMBERS) curves.push(...(await curvesOf(size, shares, options)));
  const plot = {
    title: `Requests a second by the share of reads, ${CONNECTIONS} connections x 32`,
    xLabel: 'reads, %',
    yLabel: 'requests a second',
    curves,
  };
  const rows = shares.map((share, i) => [
    `${share} %`,
    ...curves.map(({ points }) => Math.round(points[i]?.[1] ?? 0).toLocaleString('en')),
  ]);
  return {
    tables: [[['reads', ...curves.map(({ name }) => name)], ...rows]],
    plots: [{ file: 'bench-read-ratio.svg', plot }],
  };
}

/** One curve of each kind of server. */
async function curvesOf(
  size: number,
  shares: readonly number[],
  { kinds, home, rounds, seconds }: CurvesOptions,
): Promise<Curve[]> {
  const subjects: Subject[] = [];
  const points = new Map<ServerKind, [number, number][]>(kinds.map((kind) => [kind, []]));
  try {
    for (const kind of kinds) subjects.push(await startSubject(kind, size, home));
    for (const { servers } of subjects) {
      await prepareLoad(servers[0]?.port ?? 0, '/bench', DATA_SIZE);
    }
    await warmUp(subjects, seconds);
    for (const share of shares) {
      const load = { op: 'mix' as const, connections: CONNECTIONS, readShare: share / 100 };
      const found = await sampleInTurns(subjects, { ...load, seconds }, rounds);
      for (const [kind, { opsPerSecond }] of found) points.get(kind)?.push([share, opsPerSecond]);
      process.stderr.write(`${size} members, ${share} % reads\n`);
    }
  } finally {
    for (const { servers } of subjects) for (const server of servers) await server.stop();
  }
  return kinds.map((kind) => ({
    name: `${NAMES[kind]}, ${size} ${size === 1 ? 'member' : 'members'}`,
    points: points.get(kind) ?? [],
    isDashed: kind === 'apache',
  }));
}

async function startSubject(kind: ServerKind, size: number, home: string): Promise<Subject> {
  if (size === 1) return { kind, servers: [await startBenchServer(kind, home)] };
  const folder = join(home, `${kind}-of-${size}`);
  const { members } = await startEnsemble(kind, folder, [], size);
  return { kind, servers: members.map(({ server }) => server) };
}
