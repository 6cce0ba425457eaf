/** Measures two servers under the same loads in rounds in turn, and takes medians. */
import { canCount, countInstructions } from './instructions.js';
import { type LoadOp, type LoadResult, prepareLoad, runLoad } from './load.js';
import type { BenchServer } from './servers.js';

export interface Load {
  readonly op: LoadOp;
  readonly connections: number;
  readonly inFlight: number;
  readonly count: number;
}

export interface Measured extends LoadResult {
  /** Processor time of the server for each operation. */
  readonly cpuMicros: number;
  /** The part of its main thread. */
  readonly mainMicros: number;
  /** Instructions of all threads of the server for each operation, where `perf` can count them. */
  readonly instructions?: number;
}

export interface Figures {
  readonly readyMs: number;
  readonly idleMiB: number;
  readonly loadedMiB: number;
  /** For each load, its rounds in order. */
  readonly rounds: readonly (readonly Measured[])[];
}

const DATA_SIZE = 100;
const MAX_SECONDS = 30;

/**
 * Starts all servers, then runs each load on one after the other, so that other work on the machine
 * affects all equally.
 */
export async function measure(
  starts: readonly (() => Promise<BenchServer>)[],
  loads: readonly Load[],
  rounds: number,
): Promise<Figures[]> {
  const isCounting = canCount();
  const servers: BenchServer[] = [];
  try {
    const idle: number[] = [];
    for (const start of starts) {
      const server = await start();
      servers.push(server);
      idle.push(server.residentMiB());
      await prepareLoad(server.port, '/reads', DATA_SIZE);
      await prepareLoad(server.port, '/creates', DATA_SIZE);
    }
    // Two passes over the whole list, because the first one runs before the JVM and V8 are warm.
    const warm = loads.map((load) => ({ ...load, count: Math.ceil(load.count / 5) }));
    for (const load of warm) for (const server of servers) await runOne(server, load, isCounting);
    const results = servers.map((): Measured[][] => []);
    for (const load of loads) {
      const runs = servers.map((): Measured[] => []);
      for (let i = 0; i < rounds; i++) {
        for (const [at, server] of servers.entries())
          runs[at]?.push(await runOne(server, load, isCounting));
      }
      for (const [at, of] of runs.entries()) results[at]?.push(of);
      process.stderr.write(`${nameOf(load)}\n`);
    }
    return servers.map((server, at) => ({
      readyMs: server.readyMs,
      idleMiB: idle[at] ?? Number.NaN,
      loadedMiB: server.residentMiB(),
      rounds: results[at] ?? [],
    }));
  } finally {
    for (const server of servers) await server.stop();
  }
}

async function runOne(server: BenchServer, load: Load, isCounting: boolean): Promise<Measured> {
  const endCount = isCounting ? countInstructions(server.pid) : undefined;
  const before = server.cpu();
  const result = await runLoad({
    ...load,
    port: server.port,
    warmUp: Math.ceil(load.count / 10),
    size: DATA_SIZE,
    maxSeconds: MAX_SECONDS,
    parent: load.op === 'create' ? '/creates' : '/reads',
  });
  const after = server.cpu();
  const counted = await endCount?.();
  const operations = result.done * 1.1;
  const microsOf = (ms: number) => (ms * 1000) / operations;
  return {
    ...result,
    cpuMicros: microsOf(after.allThreads - before.allThreads),
    mainMicros: microsOf(after.mainThread - before.mainThread),
    ...(counted === undefined ? {} : { instructions: counted / operations }),
  };
}

export function nameOf({ op, connections, inFlight }: Load): string {
  return `${op}, ${connections} x ${inFlight}`;
}
