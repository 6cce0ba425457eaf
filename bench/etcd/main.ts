/**
 * `npm run bench -- etcd`: put and get of etcd beside set and get of our server, with the same
 * number in flight, in rounds in turn on one machine. Needs Debian's package etcd-server. Node's
 * HTTP/2 client limits the requests a second of etcd, so the processor time of the servers says
 * more.
 *
 *   npm run bench -- etcd [--rounds 5] [--seconds 2]
 */

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { median } from '../figures.js';
import { prepareLoad, runLoad } from '../load.js';
import { cpuMs, freePort, startBenchServer } from '../servers.js';
import { commit, printTable } from '../table.js';
import { EtcdConnection, putMessage, rangeMessage } from './etcd-connection.js';

const DATA = Buffer.alloc(100, 0x78);
const LOADS = [
  [1, 1],
  [10, 10],
  [10, 32],
  [10, 100],
] as const;
const KEY = '/bench/node';
/** More than a run reaches: the time ends it. */
const MOST = 3_000_000;

interface Run {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly cpuMicros: number;
}

interface Etcd {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

async function startEtcd(home: string): Promise<Etcd> {
  const [port, peerPort] = [await freePort(), await freePort()];
  const peer = `http://127.0.0.1:${peerPort}`;
  const client = `http://127.0.0.1:${port}`;
  const folders = ['--data-dir', join(home, 'etcd')];
  const clients = ['--listen-client-urls', client, '--advertise-client-urls', client];
  const peers = ['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer];
  const cluster = ['--initial-cluster', `default=${peer}`, '--log-level', 'error'];
  const child = spawn('etcd', [...folders, ...clients, ...peers, ...cluster], { stdio: 'ignore' });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  for (const deadline = Date.now() + 20_000; ; ) {
    try {
      const connection = await EtcdConnection.open(port);
      await connection.call('Put', putMessage(KEY, DATA));
      connection.close();
      return { port, pid: child.pid ?? 0, stop };
    } catch (error) {
      if (Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
      else {
        await stop();
        throw error;
      }
    }
  }
}

async function runEtcd(
  { port, pid }: Etcd,
  op: 'get' | 'set',
  [connections, inFlight]: readonly [number, number],
  seconds: number,
): Promise<Run> {
  const [method, message] =
    op === 'get'
      ? (['Range', rangeMessage(KEY)] as const)
      : (['Put', putMessage(KEY, DATA)] as const);
  const clients = await Promise.all(
    Array.from({ length: connections }, () => EtcdConnection.open(port)),
  );
  const latencies: number[] = [];
  const [cpuBefore, startedAt] = [cpuMs(`${pid}`), performance.now()];
  const endAt = startedAt + seconds * 1000;
  const work = async (client: EtcdConnection): Promise<void> => {
    for (let now = startedAt; now < endAt; ) {
      await client.call(method, message);
      const next = performance.now();
      latencies.push(next - now);
      now = next;
    }
  };
  await Promise.all(
    clients.flatMap((client) => Array.from({ length: inFlight }, () => work(client))),
  );
  const elapsed = performance.now() - startedAt;
  const cpu = cpuMs(`${pid}`) - cpuBefore;
  for (const client of clients) client.close();
  return {
    perSecond: (latencies.length / elapsed) * 1000,
    p50Ms: median(latencies),
    cpuMicros: (cpu * 1000) / latencies.length,
  };
}

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
  },
});
const seconds = Number(values.seconds);
const home = mkdtempSync(join(tmpdir(), 'zksh-bench-'));
const ours = await startBenchServer('zksh', home);
let etcd: Etcd | undefined;
try {
  etcd = await startEtcd(home);
  await prepareLoad(ours.port, '/bench', DATA.length);
  const rows: string[][] = [];
  for (const op of ['get', 'set'] as const) {
    for (const load of LOADS) {
      const [connections, inFlight] = load;
      const runs: { ours: Run[]; etcd: Run[] } = { ours: [], etcd: [] };
      for (let i = 0; i < Number(values.rounds); i++) {
        const before = ours.cpu().allThreads;
        const { opsPerSecond, p50Ms, done } = await runLoad({
          port: ours.port,
          op,
          connections,
          inFlight,
          count: MOST,
          warmUp: 0,
          size: DATA.length,
          maxSeconds: seconds,
          parent: '/bench',
        });
        const cpuMicros = ((ours.cpu().allThreads - before) * 1000) / done;
        runs.ours.push({ perSecond: opsPerSecond, p50Ms, cpuMicros });
        runs.etcd.push(await runEtcd(etcd, op, load, seconds));
      }
      const columns = (of: readonly Run[]) => [
        Math.round(median(of.map(({ perSecond }) => perSecond))).toLocaleString('en'),
        median(of.map(({ p50Ms }) => p50Ms)).toFixed(3),
        median(of.map(({ cpuMicros }) => cpuMicros)).toFixed(1),
      ];
      rows.push([
        `${op}, ${connections} x ${inFlight}`,
        ...columns(runs.ours),
        ...columns(runs.etcd),
      ]);
      process.stderr.write(`${rows.at(-1)?.join(' | ')}\n`);
    }
  }
  const { stdout } = spawnSync('etcd', ['--version'], { encoding: 'utf8' });
  console.log(
    `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), commit ${commit()}, ` +
      `Node.js ${process.version}, ${stdout.split('\n')[0]}\n`,
  );
  const figures = ['requests/s', 'p50 ms', 'CPU us each'];
  printTable([
    ['load', ...figures.map((of) => `zksh ${of}`), ...figures.map((of) => `etcd ${of}`)],
    ...rows,
  ]);
} finally {
  await etcd?.stop();
  await ours.stop();
  rmSync(home, { recursive: true, force: true });
}
