/**
 * `npm run bench -- walk`: measures a walk of many znodes by zksh and Apache's Java shell on the
 * same server, and the peak memory of walks, searches, and dumps as the tree grows tenfold. It
 * grows by more parents, because the server sends a list of siblings as a whole.
 *
 *   npm run bench -- walk [--znodes 100000] [--runs 3]
 *
 * With 1,000,000 znodes it takes about ten minutes and 3 GiB, most of both for Apache's server.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '../src/client/zookeeper.js';
import { apacheVersion, hasApache, startBenchServer } from './servers.js';
import { commit, printTable } from './table.js';

const ZKSH = fileURLToPath(new URL('../bin/zksh.cjs', import.meta.url));
const JAVA = '/usr/bin/java';
const CLASS_PATH =
  '/usr/share/java/zookeeper.jar:/usr/share/java/commons-cli.jar:/usr/share/java/slf4j-nop.jar';
const SIBLINGS = 1000;
const CREATES_IN_FLIGHT = 500;
const DATA_SIZE = 100;
const POLL_MS = 10;

interface Run {
  readonly ms: number;
  /** Peak resident memory. */
  readonly peakMiB: number;
  readonly lines: number;
}

/** Creates the parents from `from` to `to` below `/tree`, each with its children. */
async function plant(target: string, from: number, to: number): Promise<void> {
  const client = createClient({ connectString: target });
  await client.connect();
  const data = Buffer.alloc(DATA_SIZE, 0x78);
  if (from === 0) await client.create('/tree', null);
  for (let i = parentsOf(from); i < parentsOf(to); i++) await client.create(`/tree/p${i}`, data);
  for (let at = from; at < to; at += CREATES_IN_FLIGHT) {
    const count = Math.min(CREATES_IN_FLIGHT, to - at);
    const creates = Array.from({ length: count }, (_, i) =>
      client.create(`/tree/p${Math.floor((at + i) / SIBLINGS)}/n${at + i}`, data),
    );
    await Promise.all(creates);
  }
  await client.close();
}

function parentsOf(znodes: number): number {
  return Math.ceil(znodes / SIBLINGS);
}

function run(command: string, args: readonly string[]): Promise<Run> {
  const startedAt = performance.now();
  let lines = 0;
  let peakMiB = 0;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    const poll = setInterval(() => {
      peakMiB = Math.max(peakMiB, peakOf(child.pid ?? 0));
    }, POLL_MS);
    child.stdout.on('data', (chunk: Buffer) => {
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines++;
    });
    child.once('error', reject);
    child.once('close', (status) => {
      clearInterval(poll);
      if (status === 0) resolve({ ms: performance.now() - startedAt, peakMiB, lines });
      else reject(new Error(`${command} ${args.join(' ')} ended with ${status}`));
    });
  });
}

function peakOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

async function median(count: number, command: string, args: readonly string[]): Promise<Run> {
  const runs: Run[] = [];
  for (let i = 0; i < count; i++) runs.push(await run(command, args));
  const middle = runs.sort((a, b) => a.ms - b.ms)[Math.floor(count / 2)];
  if (middle === undefined) throw new Error('nothing was measured');
  return middle;
}

/** The other commands that walk. */
const WALKS = ["find --name 'n*7' /tree", 'dump /tree', 'dump --format yaml /tree'] as const;

async function measure(home: string, znodes: number, runs: number): Promise<void> {
  const server = await startBenchServer(hasApache() ? 'apache' : 'zksh', home);
  const target = `127.0.0.1:${server.port}`;
  const zksh = (commands: string) => median(runs, process.execPath, [ZKSH, target, '-c', commands]);
  const rows: string[][] = [['', 'zksh', "Apache's Java shell", 'ratio']];
  try {
    let planted = 0;
    for (const count of [Math.round(znodes / 10), znodes]) {
      await plant(target, planted, count);
      planted = count;
      const many = count.toLocaleString('en');
      const all = count + parentsOf(count) + 1;
      const walk = await zksh('ls -R /tree');
      const java = hasApache()
        ? await median(runs, JAVA, [
            ...['-cp', CLASS_PATH, 'org.apache.zookeeper.ZooKeeperMain'],
            ...['-server', target, 'ls', '-R', '/tree'],
          ])
        : undefined;
      if (walk.lines !== all) throw new Error(`${walk.lines} lines of ${all}`);
      rows.push(row(`ls -R of ${many} znodes, ms`, walk.ms, java?.ms));
      rows.push(row('its peak memory, MiB', walk.peakMiB, java?.peakMiB));
      for (const command of WALKS) {
        const { ms, peakMiB } = await zksh(command);
        rows.push(row(`${command}, ${many} znodes, ms`, ms, undefined));
        rows.push(row('its peak memory, MiB', peakMiB, undefined));
      }
    }
  } finally {
    await server.stop();
  }
  printTable(rows);
}

function row(name: string, ours: number, theirs: number | undefined): string[] {
  const show = (value: number): string => Math.round(value).toLocaleString('en');
  if (theirs === undefined) return [name, show(ours), '-', '-'];
  return [name, show(ours), show(theirs), (ours / theirs).toFixed(2)];
}

function numberOf(option: string, otherwise: number): number {
  const at = process.argv.indexOf(option);
  const value = at === -1 ? otherwise : Number(process.argv[at + 1]?.replaceAll(',', ''));
  if (Number.isInteger(value) && value > 0) return value;
  throw new RangeError(`${option} is a whole number above 0`);
}

const [znodes, runs] = [numberOf('--znodes', 100_000), numberOf('--runs', 3)];
const home = mkdtempSync(join(tmpdir(), 'zksh-bench-'));
try {
  process.stdout.write(
    `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), commit ${commit()}, ` +
      `Node.js ${process.version}, Apache ZooKeeper ${hasApache() ? apacheVersion() : 'not installed'}\n\n`,
  );
  await measure(home, znodes, runs);
} finally {
  rmSync(home, { recursive: true, force: true });
}
