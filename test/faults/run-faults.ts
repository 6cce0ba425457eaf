/** Random faults while clients work, then calm, then the verdict. */
import { RawClient } from '../conformance/support/raw-client.js';
import { checkSameEverywhere, type Place } from '../conformance/support/same-everywhere.js';
import type { Kind, OpName } from '../history/format.js';
import { Random } from '../support/random.js';
import { waitFor } from '../support/wait-for.js';
import { type FaultyEnsemble, makeFaultyEnsemble } from './faulty-ensemble.js';
import { Workload } from './workload.js';

export interface FaultsOptions {
  readonly size: number;
  readonly seed: number;
  /** The duration of the faults. */
  readonly ms: number;
  readonly clients?: number;
  /** Whether each start takes Apache's server or the bundled one at random. */
  readonly isMixed?: boolean;
  readonly onFault?: (text: string) => void;
}

export interface FaultsResult {
  /** Violations; empty if the run passed. */
  readonly problems: readonly string[];
  readonly acknowledged: number;
  readonly seen: number;
  /** The number of applied multis. */
  readonly multis: number;
  /** The number of multis that were refused as a whole. */
  readonly refusals: number;
  /** The number of times that a client held the lock. */
  readonly holds: number;
  /** In the format of test/history/FORMAT.md. */
  history(): string;
  /** The number of faults by kind. */
  readonly faults: Readonly<Record<string, number>>;
  /** The output of the members, to find the cause of a violation. */
  logs(): string;
}

const FIRST = 'first';
const PATHS = ['/a', '/b', '/c', '/d'];
/** Longer than an election, so that some faults hit a quorum and others hit an election. */
const FAULT_MS = 1500;
const CALM_MS = 60_000;
const JVM_START_MS = 3000;

type Start = (sid: number) => void;

export async function runFaults(options: FaultsOptions): Promise<FaultsResult> {
  const { size, seed, clients = 4, isMixed = false } = options;
  const random = new Random(seed);
  const ensemble = await makeFaultyEnsemble(size);
  let logs = '';
  const start: Start = (sid) => ensemble.start(sid, isMixed && random.oneIn(2));
  try {
    for (const { sid } of ensemble.members) start(sid);
    const ports = ensemble.members.map(({ clientPort }) => clientPort);
    const workload = new Workload(ports, PATHS, !isMixed);
    await workload.prepare(() => openSession(ensemble), FIRST);
    const running = Array.from({ length: clients }, (_, i) =>
      workload.run(`client${i}`, new Random(seed * 1000 + i)),
    );
    const faults = await makeTrouble(ensemble, start, random, options);
    await calm(ensemble, start, workload);
    workload.end();
    await Promise.all(running);
    const differences = isMixed ? await differencesAt(placesOf(ensemble)) : [];
    const reader = await openSession(ensemble);
    await workload.readAll(reader);
    await reader.close();
    const { history } = workload.recorder;
    const countOf = (op: OpName, kind: Kind): number =>
      history.filter((event) => event.op === op && event.kind === kind).length;
    logs = logsOf(ensemble);
    return {
      problems: [...workload.problems(), ...differences],
      acknowledged: workload.acknowledged,
      seen: history.filter(({ kind }) => kind === 'invoke').length,
      multis: countOf('multi', 'ok'),
      refusals: countOf('multi', 'fail'),
      holds: countOf('acquire', 'ok'),
      history: () => workload.recorder.toText(),
      faults,
      logs: () => logs,
    };
  } catch (error) {
    throw new Error(`${String(error)}\n${logsOf(ensemble)}`, { cause: error });
  } finally {
    await ensemble.close();
  }
}

/** One fault after the other, sometimes two at once, on a minority or on all members. */
async function makeTrouble(
  ensemble: FaultyEnsemble,
  start: Start,
  random: Random,
  { ms, size, onFault, isMixed = false }: FaultsOptions,
): Promise<Record<string, number>> {
  const faults: Record<string, number> = {};
  const endMs = performance.now() + ms;
  const someone = (): number => random.below(size) + 1;
  const kinds: Record<string, () => Promise<() => void>> = {
    kill: async () => {
      const sid = someone();
      await ensemble.kill(sid);
      return () => start(sid);
    },
    stop: async () => {
      const sid = someone();
      ensemble.stop(sid);
      return () => ensemble.go(sid);
    },
    'one-way cut': async () => {
      const sid = someone();
      for (let other = 1; other <= size; other++) if (other !== sid) ensemble.cut(other, sid);
      return () => ensemble.heal();
    },
    cut: async () => {
      const sid = someone();
      for (let other = 1; other <= size; other++) {
        if (other === sid) continue;
        ensemble.cut(sid, other);
        ensemble.cut(other, sid);
      }
      return () => ensemble.heal();
    },
    'kill all': async () => {
      await Promise.all(ensemble.members.map(({ sid }) => ensemble.kill(sid)));
      return () => {
        for (const { sid } of ensemble.members) start(sid);
      };
    },
  };
  const names = ['kill', 'kill', 'stop', 'cut', 'one-way cut'];
  while (performance.now() < endMs) {
    const name = random.oneIn(12) ? 'kill all' : random.pick(names);
    faults[name] = (faults[name] ?? 0) + 1;
    onFault?.(name);
    const mend = await kinds[name]?.();
    await sleep(FAULT_MS / 2 + random.below(FAULT_MS));
    mend?.();
    await sleep((isMixed ? JVM_START_MS : 0) + random.below(FAULT_MS));
  }
  return faults;
}

/** All faults are over: the ensemble must acknowledge writes again. */
async function calm(ensemble: FaultyEnsemble, start: Start, workload: Workload): Promise<void> {
  ensemble.heal();
  for (const { sid, process: child } of ensemble.members) {
    ensemble.go(sid);
    if (child === null || child.exitCode !== null) start(sid);
  }
  const before = workload.acknowledged;
  const isWorking = (): boolean => workload.acknowledged > before + 50;
  await waitFor('writes to be acknowledged again', isWorking, CALM_MS);
}

function logsOf({ members }: FaultyEnsemble): string {
  return members.map(({ sid, output }) => `== ${sid}\n${output()}`).join('\n');
}

function placesOf({ members }: FaultyEnsemble): Place[] {
  return members.map(({ sid, clientPort }) => ({
    sid,
    connectString: `127.0.0.1:${clientPort}`,
  }));
}

/** The trees of all members are equal, and no digest of a txn was wrong. */
async function differencesAt(places: readonly Place[]): Promise<string[]> {
  try {
    await checkSameEverywhere(places, true);
    return [];
  } catch (error) {
    return [String(error)];
  }
}

async function openSession(ensemble: FaultyEnsemble): Promise<RawClient> {
  const client = await waitFor(
    'the ensemble to open a session',
    async () => {
      const candidate = await RawClient.connect(ensemble.members[0]?.clientPort ?? 0);
      if (candidate.session !== undefined) return candidate;
      await candidate.drop();
      return undefined;
    },
    CALM_MS,
  );
  return client;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
