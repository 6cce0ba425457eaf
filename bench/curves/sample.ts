/** One load on one server or ensemble, for a fixed time. */
import { median } from '../figures.js';
import { type LoadOp, type LoadOptions, runLoad } from '../load.js';
import type { BenchServer, ServerKind } from '../servers.js';

export interface Sample {
  readonly opsPerSecond: number;
  readonly p99Ms: number;
  /** Processor time of all threads of all servers for each request. */
  readonly cpuMicros: number;
}

export interface Subject {
  readonly kind: ServerKind;
  readonly servers: readonly BenchServer[];
}

export interface SampleOptions extends Pick<LoadOptions, 'readShare' | 'pathOf'> {
  readonly op: LoadOp;
  readonly connections: number;
  readonly seconds: number;
}

export const DATA_SIZE = 100;
const IN_FLIGHT = 32;
/** More than a run reaches: the time ends it. */
const MOST = 3_000_000;
const WARM_UP = 500;

export async function sample(
  { servers }: Subject,
  { seconds, ...load }: SampleOptions,
): Promise<Sample> {
  const cpu = (): number => servers.reduce((sum, server) => sum + server.cpu().allThreads, 0);
  const before = cpu();
  const { opsPerSecond, p99Ms, done } = await runLoad({
    ...load,
    port: servers.map(({ port }) => port),
    inFlight: IN_FLIGHT,
    count: MOST,
    warmUp: WARM_UP,
    size: DATA_SIZE,
    maxSeconds: seconds,
    parent: '/bench',
  });
  return { opsPerSecond, p99Ms, cpuMicros: ((cpu() - before) * 1000) / (done + WARM_UP) };
}

/** Runs gets and sets until the compilers of both servers have seen them. */
export async function warmUp(subjects: readonly Subject[], seconds: number): Promise<void> {
  for (const subject of subjects) {
    await sample(subject, { op: 'mix', readShare: 0.5, connections: 10, seconds: seconds * 5 });
  }
}

/** Rounds in turn over all subjects; the medians of each. */
export async function sampleInTurns(
  subjects: readonly Subject[],
  options: SampleOptions,
  rounds: number,
  beforeEach: () => Promise<void> = async () => undefined,
): Promise<Map<ServerKind, Sample>> {
  const all = new Map<ServerKind, Sample[]>(subjects.map(({ kind }) => [kind, []]));
  for (let i = 0; i < rounds; i++) {
    for (const subject of subjects) {
      await beforeEach();
      all.get(subject.kind)?.push(await sample(subject, options));
    }
  }
  return new Map([...all].map(([kind, samples]) => [kind, medianOf(samples)]));
}

/** The median of each figure. */
export function medianOf(samples: readonly Sample[]): Sample {
  const of = (read: (sample: Sample) => number): number => median(samples.map(read));
  return {
    opsPerSecond: of(({ opsPerSecond }) => opsPerSecond),
    p99Ms: of(({ p99Ms }) => p99Ms),
    cpuMicros: of(({ cpuMicros }) => cpuMicros),
  };
}
