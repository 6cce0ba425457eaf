/**
 * An ensemble of processes under abusive clients, in cycles of load and calm. Members are killed
 * and stopped. In each calm, the traces of clients must disappear and resources must not grow.
 */
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { OpCode } from '../../src/protocol/op-code.js';
import { OPEN_ACL_UNSAFE } from '../../src/protocol/perms.js';
import { RawClient } from '../conformance/support/raw-client.js';
import { type FaultyEnsemble, makeFaultyEnsemble } from '../faults/faulty-ensemble.js';
import { freePort } from '../support/machine/free-port.js';
import { Random } from '../support/random.js';
import { waitFor } from '../support/wait-for.js';
import { type Calm, growthIn } from './growth.js';
import { type Resources, readResources } from './resources.js';
import { FIELD, RudeClient } from './rude-client.js';

export interface SoakOptions {
  readonly size: number;
  readonly seed: number;
  /** New cycles begin until this time. */
  readonly ms: number;
  readonly clients?: number;
  readonly cycleMs?: number;
  readonly onCalm?: (calm: Calm) => void;
}

export interface SoakResult {
  /** Resources that grew or were not released; empty if the run passed. */
  readonly problems: readonly string[];
  readonly cycles: number;
  readonly lives: number;
  readonly heard: number;
  logs(): string;
}

const CALM_MS = 60_000;
const BIG = 200_000;

export async function runSoak(options: SoakOptions): Promise<SoakResult> {
  const { size, seed, clients = 16, cycleMs = 8000, onCalm } = options;
  const random = new Random(seed);
  const metricsPorts = await Promise.all(Array.from({ length: size }, freePort));
  const collector = new URL('collect-on-signal.js', import.meta.url);
  const lines = (sid: number) => [
    'metricsProvider.className=org.apache.zookeeper.metrics.prometheus.PrometheusMetricsProvider',
    'metricsProvider.httpHost=127.0.0.1',
    `metricsProvider.httpPort=${metricsPorts[sid - 1]}`,
    'znode.container.checkIntervalMs=500',
    'extendedTypesEnabled=true',
  ];
  const prefix = ['env', `NODE_OPTIONS=--import ${collector}`];
  const ensemble = await makeFaultyEnsemble(size, { lines, prefix });
  const soak = new Soak(ensemble, metricsPorts, random);
  try {
    for (const { sid } of ensemble.members) ensemble.start(sid);
    await soak.makeField();
    const endMs = performance.now() + options.ms;
    const calms: Calm[] = [];
    let cycles = 0;
    do {
      cycles++;
      await soak.load(clients, cycleMs);
      for (const calm of await soak.calm(cycles)) {
        calms.push(calm);
        onCalm?.(calm);
      }
    } while (performance.now() < endMs && soak.problems.length === 0);
    const { lives, heard } = soak;
    const problems = [...soak.problems, ...growthIn(calms)];
    const logs = ensemble.members.map(({ sid, output }) => `== ${sid}\n${output()}`).join('\n');
    return { problems, cycles, lives, heard, logs: () => logs };
  } finally {
    await ensemble.close();
  }
}

class Soak {
  readonly problems: string[] = [];
  lives = 0;
  heard = 0;
  private readonly ensemble: FaultyEnsemble;
  private readonly metricsPorts: readonly number[];
  private readonly random: Random;
  private readonly left: Parameters<typeof RudeClient.live>[2] = [];

  constructor(ensemble: FaultyEnsemble, metricsPorts: readonly number[], random: Random) {
    this.ensemble = ensemble;
    this.metricsPorts = metricsPorts;
    this.random = random;
  }

  /** Creates the common parent and a large znode. */
  async makeField(): Promise<void> {
    const client = await this.open();
    const big = { path: `${FIELD}/big`, data: Buffer.alloc(BIG, 'b') };
    for (const node of [{ path: FIELD, data: null }, big]) {
      await client.call(OpCode.create, { ...node, acl: OPEN_ACL_UNSAFE, flags: 0 });
    }
    await client.close();
  }

  /** Clients connect and leave for a while, and one member gets a fault. */
  async load(clients: number, ms: number): Promise<void> {
    const endMs = performance.now() + ms;
    const run = async (): Promise<void> => {
      while (performance.now() < endMs) {
        const { clientPort } = this.random.pick(this.ensemble.members);
        const client = await RudeClient.live(clientPort, this.random, this.left);
        this.lives++;
        this.heard += client.heard;
      }
    };
    await Promise.all([...Array.from({ length: clients }, run), this.harm(ms / 4)]);
  }

  /** The first member is never killed, so its life shows growth over all cycles. */
  private async harm(ms: number): Promise<void> {
    const { random, ensemble } = this;
    const size = ensemble.members.length;
    await sleep(ms);
    const kind = random.below(4);
    if (kind < 2) {
      const sid = 1 + random.below(size);
      ensemble.stop(sid);
      await sleep(ms / 2);
      ensemble.go(sid);
    } else if (kind === 2) {
      const sid = 2 + random.below(size - 1);
      await ensemble.kill(sid);
      await sleep(ms / 2);
      ensemble.start(sid);
    }
  }

  /** Waits until all traces of clients are gone, then reads the resources of each member. */
  async calm(cycle: number): Promise<Calm[]> {
    this.left.length = 0;
    await this.clear();
    const calms: Calm[] = [];
    for (const { sid, process: child } of this.ensemble.members) {
      const pid = child?.pid ?? 0;
      let last: Resources | undefined;
      try {
        await waitFor(
          `member ${sid} to be rid of what clients left`,
          async () => {
            last = await this.read(sid, pid);
            return last !== undefined && isRid(last);
          },
          CALM_MS,
        );
      } catch {
        const holds =
          last === undefined ? 'does not answer' : `still holds ${JSON.stringify(last)}`;
        this.problems.push(`cycle ${cycle}: member ${sid} ${holds} (${stateOf(child)})`);
      }
      const resources = await this.read(sid, pid);
      if (resources !== undefined) calms.push({ cycle, sid, pid, resources });
    }
    return calms;
  }

  /** The resources of the member after a garbage collection. */
  private async read(sid: number, pid: number): Promise<Resources | undefined> {
    const port = this.metricsPorts[sid - 1] ?? 0;
    try {
      // Repeated garbage collections before a member serves would keep it from starting.
      await readResources(pid, port);
      process.kill(pid, 'SIGUSR2');
      return await readResources(pid, port);
    } catch {
      // The member is still starting.
      return undefined;
    }
  }

  /** Deletes znodes that outlive their client. Elections of the load before may still go on. */
  private async clear(): Promise<void> {
    await waitFor('the znodes of clients to be deleted', () => this.tryToClear(), CALM_MS);
  }

  private async tryToClear(): Promise<boolean> {
    const client = await this.open();
    try {
      for (const name of ['a/x', 'a/y', 'b/x', 'a', 'b', 'c']) {
        await client.call(OpCode.delete, { path: `${FIELD}/${name}`, version: -1 });
      }
      return true;
    } catch {
      return false;
    } finally {
      await client.close().catch(() => undefined);
    }
  }

  private open(): Promise<RawClient> {
    return waitFor(
      'the ensemble to open a session',
      async () => {
        const candidate = await RawClient.connect(this.ensemble.members[0]?.clientPort ?? 0);
        if (candidate.session !== undefined && candidate.session.id !== 0n) return candidate;
        await candidate.drop();
        return undefined;
      },
      CALM_MS,
    );
  }
}

/** Sessions end with their ephemerals and watches. TTL znodes and containers expire, too. */
function isRid({ sessions, ephemerals, watches }: Resources): boolean {
  return sessions === 0 && ephemerals === 0 && watches === 0;
}

/** Whether the process lives, and where it waits in the kernel. */
function stateOf(child: ChildProcess | null): string {
  const end = child?.exitCode ?? child?.signalCode;
  if (child === null || end != null) return `it ended with ${end}`;
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  const wait = readFileSync(`/proc/${child.pid}/wchan`, 'utf8');
  return `${/State:.*/.exec(status)?.[0]}, waits in ${wait}`;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
