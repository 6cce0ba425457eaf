/**
 * `npm run bench -- ops`: measures zkops on members that answer, that are dead, and that never
 * answer. `node -e 0` shows the cost of starting Node alone.
 *
 *   npm run bench -- ops [--runs 7]
 */

import { spawn } from 'node:child_process';
import { createServer, type Server, type Socket } from 'node:net';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { median } from './figures.js';
import { commit, printTable } from './table.js';

const ZKOPS = fileURLToPath(new URL('../bin/zkops.cjs', import.meta.url));
const TIMEOUT_MS = 1000;

interface Fakes {
  readonly ports: readonly number[];
  close(): void;
}

/** One ensemble of three voters; all others are observers. `silent` members never answer. */
async function startFakes(count: number, isSilent: boolean): Promise<Fakes> {
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  const ports: number[] = [];
  for (let at = 0; at < count; at += 1) {
    const mode = at === 0 ? 'leader' : at < 3 ? 'follower' : 'observer';
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
      socket.once('data', (word) => {
        if (!isSilent) socket.end(answerTo(word.toString('latin1').trim(), mode));
      });
    });
    servers.push(server);
    ports.push(await listen(server));
  }
  return {
    ports,
    close: () => {
      for (const socket of sockets) socket.destroy();
      for (const server of servers) server.close();
    },
  };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

/** As large as the output of a real server: five hundred lines of mntr. */
function answerTo(word: string, mode: string): string {
  if (word === 'mntr') {
    const rest = Array.from({ length: 490 }, (_, at) => `zk_avg_some_metric_${at}\t0.0\n`);
    const own = `zk_server_state\t${mode}\nzk_quorum_size\t3\nzk_synced_followers\t2\n`;
    return own + rest.join('');
  }
  if (word !== 'srvr') return '';
  return `Zookeeper version: 3.9.3\nZxid: 0x100000008\nMode: ${mode}\nNode count: 5\n`;
}

function run(args: readonly string[]): Promise<{ ms: number; rows: number; code: number | null }> {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.on('close', (code) => {
      const rows = out.split('\n').filter((line) => /^127\.0\.0\.1:\d+\t/.test(line)).length;
      resolve({ ms: performance.now() - startedAt, rows, code });
    });
  });
}

interface Case {
  readonly name: string;
  readonly args: readonly string[];
  readonly rows: number;
}

/** In turns, so that other work on the machine affects all of them equally. */
async function measure(cases: readonly Case[], runs: number): Promise<string[][]> {
  const times = cases.map((): number[] => []);
  for (let at = 0; at < runs; at += 1) {
    for (const [index, { name, args, rows }] of cases.entries()) {
      const ended = await run(args);
      if (ended.rows !== rows) throw new Error(`${name}: ${ended.rows} rows instead of ${rows}`);
      times[index]?.push(ended.ms);
    }
  }
  const rounded = (value: number) => value.toFixed(0);
  return cases.map(({ name }, index) => {
    const own = times[index] ?? [];
    return [name, rounded(median(own)), rounded(Math.max(...own))];
  });
}

async function main(): Promise<void> {
  const at = process.argv.indexOf('--runs');
  const runs = at === -1 ? 7 : Number(process.argv[at + 1]);
  const good = await startFakes(80, false);
  const silent = await startFakes(10, true);
  // Ports that were free a moment before.
  const dead = await startFakes(10, true);
  dead.close();
  const verb = (ports: readonly number[], name: string) => [
    ZKOPS,
    ...[name, '-o', 'plain', '--timeout', String(TIMEOUT_MS), '--servers'],
    ports.map((port) => `127.0.0.1:${port}`).join(','),
  ];
  const all = [...good.ports, ...silent.ports, ...dead.ports];
  try {
    process.stdout.write(`zkops ${commit()}, Node ${process.version}, ${cpus().length} cores\n\n`);
    printTable([
      [`${runs} runs, --timeout ${TIMEOUT_MS}`, 'median ms', 'worst ms'],
      ...(await measure(
        [
          { name: 'node -e 0', args: ['-e', '0'], rows: 0 },
          { name: 'mntr, 3 members', args: verb(good.ports.slice(0, 3), 'mntr'), rows: 3 },
          { name: 'health, 100: 10 dead, 10 silent', args: verb(all, 'health'), rows: 100 },
          { name: 'mntr, 100: 10 dead, 10 silent', args: verb(all, 'mntr'), rows: 100 },
        ],
        runs,
      )),
    ]);
  } finally {
    good.close();
    silent.close();
  }
}

await main();
