/** The cost of a request as sessions or watches grow. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { OpCode } from '../../src/protocol/op-code.js';
import { prepareLoad } from '../load.js';
import { LoadConnection } from '../load-connection.js';
import { type ServerKind, startBenchServer } from '../servers.js';
import type { Curves, CurvesOptions } from './curves-options.js';
import type { Curve } from './plot.js';
import { DATA_SIZE, type Sample, type Subject, sampleInTurns, warmUp } from './sample.js';

export type Grown = 'sessions' | 'watches';

const SIZES: Readonly<Record<Grown, readonly number[]>> = {
  sessions: [10, 100, 1000, 10_000, 19_000],
  watches: [0, 10_000, 100_000, 1_000_000],
};
const WATCHERS = 100;
const WATCHES_IN_A_TURN = 100;
const CONNECTIONS = 10;
const HOLDER = fileURLToPath(new URL('session-holder.js', import.meta.url));
const OPS = ['get', 'set'] as const;

/** Grows what it counts on all servers, and keeps it alive. */
interface Growth {
  growTo(size: number): Promise<void>;
  /** Sessions would expire. */
  heartbeat(): Promise<void>;
  close(): void;
}

export async function measureGrowth(what: Grown, options: CurvesOptions): Promise<Curves> {
  const sizes = SIZES[what].filter((size) => !options.isQuick || size <= 10_000);
  const subjects: Subject[] = [];
  const growths = new Map<ServerKind, Growth>();
  const found: { size: number; op: string; samples: Map<ServerKind, Sample> }[] = [];
  try {
    for (const kind of options.kinds) {
      const server = await startBenchServer(kind, options.home);
      subjects.push({ kind, servers: [server] });
      await prepareLoad(server.port, '/bench', DATA_SIZE);
      growths.set(kind, GROWTHS[what](server.port));
    }
    await warmUp(subjects, options.seconds);
    for (const size of sizes) {
      for (const { kind } of subjects) await growths.get(kind)?.growTo(size);
      for (const op of OPS) {
        const load = { op, connections: CONNECTIONS, seconds: options.seconds };
        const samples = await sampleInTurns(subjects, load, options.rounds, async () => {
          for (const growth of growths.values()) await growth.heartbeat();
        });
        found.push({ size, op, samples });
      }
      process.stderr.write(`${size} ${what}\n`);
    }
  } finally {
    for (const growth of growths.values()) growth.close();
    for (const { servers } of subjects) for (const server of servers) await server.stop();
  }
  return render(what, options.kinds, found);
}

const GROWTHS: Readonly<Record<Grown, (port: number) => Growth>> = {
  sessions: growSessions,
  watches: growWatches,
};

function growSessions(port: number): Growth {
  const holder = fork(HOLDER, [`${port}`]);
  const ended = once(holder, 'exit').then(() => {
    throw new Error('the holder of the sessions ended');
  });
  ended.catch(() => undefined);
  const ask = async (size: number): Promise<void> => {
    const answered = once(holder, 'message');
    holder.send(size);
    await Promise.race([answered, ended]);
  };
  return { growTo: ask, heartbeat: () => ask(0), close: () => holder.disconnect() };
}

/** Watches znodes that do not exist, so that no set fires one. */
function growWatches(port: number): Growth {
  const clients: LoadConnection[] = [];
  let count = 0;
  return {
    growTo: async (size) => {
      while (clients.length < WATCHERS) clients.push(await LoadConnection.open(port));
      // In turns, so that no session of a slow server is silent for long, and expires.
      for (let turn = 0; count < size; turn++) {
        const length = Math.min(WATCHES_IN_A_TURN, size - count);
        const paths = Array.from({ length }, () => `/bench/watched-${count++}`);
        await clients[turn % WATCHERS]?.watch(paths, OpCode.exists);
      }
    },
    heartbeat: async () => {
      await Promise.all(clients.map((client) => client.read('/bench/node')));
    },
    close: () => {
      for (const client of clients) client.destroy();
    },
  };
}

function render(
  what: Grown,
  kinds: readonly ServerKind[],
  found: readonly { size: number; op: string; samples: Map<ServerKind, Sample> }[],
): Curves {
  const nameOf = (kind: ServerKind) => (kind === 'zksh' ? 'zksh' : 'Apache');
  const columns = kinds.flatMap((kind) => [
    `${nameOf(kind)} requests/s`,
    `${nameOf(kind)} CPU us each`,
  ]);
  const rows = found.map(({ size, op, samples }) => [
    `${op}, ${size.toLocaleString('en')} ${what}`,
    ...kinds.flatMap((kind) => {
      const of = samples.get(kind);
      if (of === undefined) return ['-', '-'];
      return [Math.round(of.opsPerSecond).toLocaleString('en'), of.cpuMicros.toFixed(2)];
    }),
  ]);
  const curves = kinds.flatMap((kind) =>
    OPS.map((op): Curve => {
      const points = found.flatMap((each): [number, number][] => {
        const cpu = each.op === op ? each.samples.get(kind)?.cpuMicros : undefined;
        return cpu === undefined ? [] : [[each.size, cpu]];
      });
      return { name: `${op}, ${nameOf(kind)}`, points, isDashed: kind === 'apache' };
    }),
  );
  const plot = {
    title: `Processor time of the server for a request, by ${what}`,
    xLabel: what,
    yLabel: 'microseconds',
    isXLogarithmic: true,
    curves,
  };
  return {
    tables: [[['load, 10 x 32', ...columns], ...rows]],
    plots: [{ file: `bench-${what}.svg`, plot }],
  };
}
