/** The mix of the published latency test with the server on one core and on all. */
import { availableParallelism } from 'node:os';
import { createClient } from '../../src/client/zookeeper.js';
import { type MixFigures, runMix } from '../mix.js';
import { type ServerKind, startBenchServer } from '../servers.js';
import type { Curves, CurvesOptions } from './curves-options.js';
import type { Curve } from './plot.js';

const CLIENTS = [1, 5, 10, 20];

export async function measureCores(options: CurvesOptions): Promise<Curves> {
  const { kinds, isQuick } = options;
  const head = ['server'];
  const rows: string[][] = [];
  const curves: Curve[] = [];
  for (const core of [0, undefined]) {
    for (const kind of kinds) {
      const cores = core === undefined ? `${availableParallelism()} cores` : '1 core';
      const name = `${kind === 'zksh' ? 'zksh' : 'Apache'}, ${cores}`;
      const figures = await mixes(kind, core, options.home, isQuick ? 500 : 10_000);
      const perSecond = figures.map(({ operations, seconds }) => operations / seconds);
      if (rows.length === 0) {
        head.push(
          ...figures.map((each, i) => `${CLIENTS[i]} x ${each.operations / (CLIENTS[i] ?? 1)}`),
        );
      }
      rows.push([
        name,
        ...figures.map(
          ({ seconds }, i) =>
            `${seconds.toFixed(1)} s (${Math.round(perSecond[i] ?? 0).toLocaleString('en')}/s)`,
        ),
      ]);
      const points = perSecond.map((y, i): [number, number] => [CLIENTS[i] ?? 0, y]);
      curves.push({ name, points, isDashed: kind === 'apache' });
      process.stderr.write(`${name}\n`);
    }
  }
  const plot = {
    title: 'Operations a second of the published latency test, by clients',
    xLabel: 'clients, 1,000 operations in flight each',
    yLabel: 'operations a second',
    curves,
  };
  return { tables: [[head, ...rows]], plots: [{ file: 'bench-cores.svg', plot }] };
}

async function mixes(
  kind: ServerKind,
  core: number | undefined,
  home: string,
  znodes: number,
): Promise<MixFigures[]> {
  const server = await startBenchServer(kind, home, { core });
  const figures: MixFigures[] = [];
  try {
    for (const count of CLIENTS) {
      const connectString = `127.0.0.1:${server.port}`;
      const clients = Array.from({ length: count }, () => createClient({ connectString }));
      try {
        await Promise.all(clients.map((client) => client.connect()));
        figures.push(await runMix(clients, znodes));
      } finally {
        await Promise.all(clients.map((client) => client.close()));
      }
    }
    return figures;
  } finally {
    await server.stop();
  }
}
