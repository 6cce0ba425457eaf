/**
 * One client in a process of its own, for `bench/client.ts`. It prints its figures as one line of
 * JSON.
 *
 *   node --expose-gc client-worker.js KIND CONNECT-STRING speed SECONDS
 *   node --expose-gc client-worker.js KIND CONNECT-STRING watches|sessions COUNT
 *   node --expose-gc client-worker.js KIND CONNECT-STRING both SESSIONS WATCHES
 */
import { type BenchClient, type ClientKind, openClient } from './client-kinds.js';

export interface Speed {
  readonly op: 'get' | 'set';
  readonly inFlight: number;
  readonly opsPerSecond: number;
  /** Null if no request ended in time. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  readonly residentMiB: number;
  /** CPU time of the client process for each request, in microseconds. */
  readonly cpuUs: number;
}

/** Resident memory before and after the sessions or watches. */
export interface Memory {
  readonly beforeMiB: number;
  readonly afterMiB: number;
}

export const IN_FLIGHT = [1, 10, 100, 1000] as const;
export const ZNODE = '/bench-client';
export const DATA = Buffer.alloc(100, 0x78);
const WARM_UP_PART = 0.25;
const OPENED_AT_ONCE = 50;
const MIB = 1024 * 1024;

async function measure(
  client: BenchClient,
  op: Speed['op'],
  inFlight: number,
  seconds: number,
): Promise<Speed> {
  const times: number[] = [];
  let requests = 0;
  const cpuBefore = process.cpuUsage();
  const start = performance.now();
  const warmAt = start + seconds * 1000 * WARM_UP_PART;
  const endAt = start + seconds * 1000 * (1 + WARM_UP_PART);
  await new Promise<void>((resolve, reject) => {
    let active = 0;
    const next = (): void => {
      active++;
      const startedAt = performance.now();
      const done = (error: unknown): void => {
        active--;
        requests++;
        const now = performance.now();
        if (error !== undefined && error !== null) reject(error);
        else if (now < endAt) {
          if (startedAt >= warmAt) times.push(now - startedAt);
          next();
        } else if (active === 0) resolve();
      };
      if (op === 'get') client.get(ZNODE, done);
      else client.set(ZNODE, DATA, done);
    };
    for (let i = 0; i < inFlight; i++) next();
  });
  const { user, system } = process.cpuUsage(cpuBefore);
  const sorted = Float64Array.from(times).sort();
  const at = (part: number): number | null => sorted[Math.floor(sorted.length * part)] ?? null;
  return {
    op,
    inFlight,
    opsPerSecond: times.length / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    residentMiB: residentMiB(),
    cpuUs: (user + system) / requests,
  };
}

function residentMiB(): number {
  return process.memoryUsage().rss / MIB;
}

async function collected(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return residentMiB();
}

async function setWatches(client: BenchClient, count: number): Promise<void> {
  for (let at = 0; at < count; at += OPENED_AT_ONCE) {
    await Promise.all(
      Array.from({ length: Math.min(OPENED_AT_ONCE, count - at) }, (_, i) => {
        const path = `/applications/shop/instances/worker-${at + i}`;
        return new Promise<void>((resolve) => client.watch(path, () => resolve()));
      }),
    );
  }
}

async function holdWatches(client: BenchClient, count: number): Promise<Memory> {
  const beforeMiB = await collected();
  await setWatches(client, count);
  return { beforeMiB, afterMiB: await collected() };
}

/** @param watches spread over all sessions */
async function holdSessions(
  kind: ClientKind,
  target: string,
  count: number,
  watches = 0,
): Promise<Memory> {
  const all: BenchClient[] = [await openClient(kind, target)];
  const beforeMiB = await collected();
  while (all.length < count) {
    const wanted = Math.min(OPENED_AT_ONCE, count - all.length);
    all.push(
      ...(await Promise.all(Array.from({ length: wanted }, () => openClient(kind, target)))),
    );
  }
  if (watches > 0) for (const client of all) await setWatches(client, watches / count);
  return { beforeMiB, afterMiB: await collected() };
}

async function main([kind, target = '', what, ...rest]: readonly string[]): Promise<unknown> {
  const known = kind as ClientKind;
  const [amount, watches] = rest;
  if (what === 'both') return holdSessions(known, target, Number(amount), Number(watches));
  if (what === 'sessions') return holdSessions(known, target, Number(amount));
  const client = await openClient(known, target);
  if (what === 'watches') return holdWatches(client, Number(amount));
  const figures: Speed[] = [];
  for (const op of ['get', 'set'] as const) {
    for (const inFlight of IN_FLIGHT) {
      figures.push(await measure(client, op, inFlight, Number(amount)));
    }
  }
  return figures;
}

// Imported for its constants, it does nothing.
if (process.argv[1]?.endsWith('client-worker.js')) {
  const figures = await main(process.argv.slice(2));
  process.stdout.write(`${JSON.stringify(figures)}\n`, () => process.exit(0));
}
