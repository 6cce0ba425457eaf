/**
 * `npm run bench -- storm`: sessions with watches lose a member of their ensemble, then the leader.
 * Measures the time until each session has a reply, with its watch restored where the connection
 * was lost, and the longest read of another client meanwhile.
 *
 *   npm run bench -- storm [--sessions 10000] [--rounds 3]
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { median } from './figures.js';
import { prepareLoad } from './load.js';
import { type Ensemble, type Member, startEnsemble } from './members.js';
import { apacheVersion, hasApache, modeOf, type ServerKind } from './servers.js';
import type { ProbeOptions } from './storm-probe.js';
import { StormSession } from './storm-session.js';
import { commit, printTable } from './table.js';

const OPENED_AT_ONCE = 40;
const PARENTS = 10;
const LIMIT_MS = 60_000;

interface Storm {
  /** Until the last session is back. */
  readonly backMs: number;
  readonly worstReadMs: number;
}

type Victim = 'follower' | 'leader';

async function withRole({ members }: Ensemble, role: Victim): Promise<Member> {
  const modes = await Promise.all(members.map(({ port }) => modeOf(port)));
  const member = members[modes.indexOf(role)];
  if (member === undefined) throw new Error(`no ${role}: ${modes.join(', ')}`);
  return member;
}

/** Starts a probe. The result ends it, and resolves to its longest read in ms. */
function startProbe(options: ProbeOptions): () => Promise<number> {
  const worker = new Worker(new URL('./storm-probe.js', import.meta.url), { workerData: options });
  const worst = new Promise<number>((resolve, reject) => {
    worker.once('message', resolve).once('error', reject);
  });
  return () => {
    worker.postMessage('end');
    return worst;
  };
}

async function withLimit<Value>(work: Promise<Value>, ms: number): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  const result = await Promise.race([work, late]);
  clearTimeout(timer);
  return result;
}

async function storm(ensemble: Ensemble, victim: Member, sessions: number): Promise<Storm> {
  const ports = ensemble.members.map(({ port }) => port);
  const clients = Array.from(
    { length: sessions },
    (_, i) => new StormSession(ports, i, `/storm${i % PARENTS}/node`),
  );
  try {
    for (let at = 0; at < sessions; at += OPENED_AT_ONCE) {
      await Promise.all(clients.slice(at, at + OPENED_AT_ONCE).map((client) => client.open()));
    }
    const others = ports.filter((port) => port !== victim.port);
    const endProbe = startProbe({ ports: others, path: '/storm0/node' });
    const startedAt = performance.now();
    await victim.server.kill();
    const back = Promise.all(clients.map((client) => client.back()));
    if (
      (await withLimit(
        back.then(() => true),
        LIMIT_MS,
      )) === undefined
    )
      throw new Error('not all came back');
    const backMs = performance.now() - startedAt;
    return { backMs, worstReadMs: await endProbe() };
  } finally {
    for (const client of clients) client.destroy();
  }
}

async function measure(kind: ServerKind, home: string, sessions: number): Promise<Storm[]> {
  const storms: Storm[] = [];
  for (const role of ['follower', 'leader'] as const) {
    const ensemble = await startEnsemble(kind, join(home, role), ['maxSessionTimeout=60000']);
    try {
      for (let i = 0; i < PARENTS; i++) {
        await prepareLoad(ensemble.members[0]?.port ?? 0, `/storm${i}`, 100);
      }
      storms.push(await storm(ensemble, await withRole(ensemble, role), sessions));
    } finally {
      for (const { server } of ensemble.members) await server.stop();
    }
  }
  return storms;
}

const { values } = parseArgs({
  options: {
    sessions: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '3' },
  },
});
const sessions = Number(values.sessions);
const home = mkdtempSync(join(tmpdir(), 'zksh-bench-'));
const kinds: readonly ServerKind[] = hasApache() ? ['zksh', 'apache'] : ['zksh'];
const results = new Map<ServerKind, Storm[][]>(kinds.map((kind) => [kind, []]));
try {
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const kind of kinds) {
      const storms = await measure(kind, join(home, `${round}`), sessions);
      process.stderr.write(`${kind} ${JSON.stringify(storms)}\n`);
      results.get(kind)?.push(storms);
    }
  }
  const model = cpus()[0]?.model ?? 'unknown processor';
  console.log(`${availableParallelism()} cores (${model}), commit ${commit()},`);
  console.log(`Node.js ${process.versions.node}, Apache ZooKeeper ${apacheVersion()}\n`);
  const figure = (kind: ServerKind, at: number, read: (one: Storm) => number): number =>
    median((results.get(kind) ?? []).flatMap((storms) => storms.slice(at, at + 1).map(read)));
  const row = (name: string, at: number, read: (one: Storm) => number): string[] => {
    const [ours, theirs] = [figure('zksh', at, read), figure('apache', at, read)];
    return [name, ours.toFixed(0), theirs.toFixed(0), (ours / theirs).toFixed(2)];
  };
  printTable([
    [`${sessions.toLocaleString('en')} sessions, 3 members, medians`, 'zksh', 'Apache', 'ratio'],
    row('kill -9 of a follower until the last session is back, ms', 0, (one) => one.backMs),
    row('longest read of another client meanwhile, ms', 0, (one) => one.worstReadMs),
    row('kill -9 of the leader until the last session is back, ms', 1, (one) => one.backMs),
    row('longest read of another client meanwhile, ms', 1, (one) => one.worstReadMs),
  ]);
} finally {
  rmSync(home, { recursive: true, force: true });
}
