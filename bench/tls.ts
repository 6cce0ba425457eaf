/**
 * `npm run bench -- tls`: get and set over TLS on our server and on Apache's over Netty, in turns,
 * beside the same without TLS, and the connections that each accepts a second: whole handshakes,
 * and resumed sessions of TLS.
 *
 *   npm run bench -- tls [--rounds 3] [--seconds 3] [--handshakes 1000]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConnectionOptions, connect } from 'node:tls';
import { parseArgs } from 'node:util';
import { makeTlsFiles, type TlsFiles } from '../test/support/tls/tls-world.js';
import { median } from './figures.js';
import { type LoadOptions, prepareLoad, runLoad } from './load.js';
import {
  apacheVersion,
  type BenchServer,
  freePort,
  hasApache,
  type ServerKind,
  startBenchServer,
} from './servers.js';
import { commit, printTable } from './table.js';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    handshakes: { type: 'string', default: '1000' },
  },
});

const LOAD = { connections: 10, inFlight: 32, size: 100, parent: '/bench', warmUp: 500 };
/** The time ends a load. */
const MOST = 1_000_000_000;
const CONNECTING_AT_ONCE = 20;

interface Subject {
  readonly kind: ServerKind;
  readonly server: BenchServer;
  readonly securePort: number;
}

async function start(kind: ServerKind, home: string, files: TlsFiles): Promise<Subject> {
  const [port, securePort] = [await freePort(), await freePort()];
  const lines = [
    `secureClientPort=${securePort}`,
    'secureClientPortAddress=127.0.0.1',
    'ssl.clientAuth=none',
    `ssl.keyStore.location=${files.serverFile}`,
    'ssl.keyStore.type=PEM',
    `ssl.trustStore.location=${files.caFile}`,
    'ssl.trustStore.type=PEM',
    ...(kind === 'apache'
      ? ['serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory']
      : []),
  ];
  const server = await startBenchServer(kind, home, { seat: { port, lines } });
  await prepareLoad(port, '/bench', LOAD.size);
  return { kind, server, securePort };
}

interface Sample {
  readonly perSecond: number;
  readonly cpuMicros: number;
}

async function load(
  { server, securePort }: Subject,
  op: LoadOptions['op'],
  tls: ConnectionOptions | undefined,
): Promise<Sample> {
  const port = tls === undefined ? server.port : securePort;
  const before = server.cpu().allThreads;
  const options = { ...LOAD, port, op, count: MOST, maxSeconds: Number(values.seconds) };
  const { opsPerSecond, done } = await runLoad(tls === undefined ? options : { ...options, tls });
  const cpuMs = server.cpu().allThreads - before;
  return { perSecond: opsPerSecond, cpuMicros: (cpuMs * 1000) / (done + LOAD.warmUp) };
}

/** Connects. Resolves to whether the session of TLS was resumed. */
function shakeHands(port: number, tls: ConnectionOptions): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', ...tls }, () => {
      resolve(socket.isSessionReused());
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

/** A session of TLS that the server lets a client resume. */
function sessionOf(port: number, tls: ConnectionOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', ...tls });
    socket.once('error', reject);
    socket.once('session', (session) => {
      socket.destroy();
      resolve(session);
    });
    socket.resume();
  });
}

async function handshakes(
  { server, securePort }: Subject,
  tls: ConnectionOptions,
  isResumed: boolean,
): Promise<Sample> {
  const count = Number(values.handshakes);
  const options = isResumed ? { ...tls, session: await sessionOf(securePort, tls) } : tls;
  const before = server.cpu().allThreads;
  const startedAt = performance.now();
  let left = count;
  let resumed = 0;
  const connectAll = async (): Promise<void> => {
    while (left-- > 0) {
      const wasResumed = await shakeHands(securePort, options);
      if (wasResumed) resumed++;
    }
  };
  await Promise.all(Array.from({ length: CONNECTING_AT_ONCE }, connectAll));
  const seconds = (performance.now() - startedAt) / 1000;
  process.stderr.write(`${server.kind}: ${resumed} of ${count} sessions of TLS resumed\n`);
  const cpuMs = server.cpu().allThreads - before;
  return { perSecond: count / seconds, cpuMicros: (cpuMs * 1000) / count };
}

type Measure = (subject: Subject, tls: ConnectionOptions) => Promise<Sample>;

const LOADS: readonly (readonly [name: string, measure: Measure])[] = [
  ['get', (subject) => load(subject, 'get', undefined)],
  ['get over TLS', (subject, tls) => load(subject, 'get', tls)],
  ['set', (subject) => load(subject, 'set', undefined)],
  ['set over TLS', (subject, tls) => load(subject, 'set', tls)],
  ['handshake of TLS', (subject, tls) => handshakes(subject, tls, false)],
  ['the same, resumed', (subject, tls) => handshakes(subject, tls, true)],
];

async function main(home: string): Promise<void> {
  const files = makeTlsFiles();
  const tls: ConnectionOptions = { ca: files.authority.cert, servername: 'localhost' };
  const subjects: Subject[] = [];
  const rows: string[][] = [];
  try {
    subjects.push(await start('zksh', home, files));
    if (hasApache()) subjects.push(await start('apache', home, files));
    for (const [name, measure] of LOADS) {
      const samples = new Map<Subject, Sample[]>(subjects.map((subject) => [subject, []]));
      for (let round = 0; round <= Number(values.rounds); round++) {
        for (const subject of subjects) {
          const sample = await measure(subject, tls);
          // The first round is for the compilers.
          if (round > 0) samples.get(subject)?.push(sample);
        }
      }
      const cells = [...samples.values()].flatMap((all) => [
        Math.round(median(all.map(({ perSecond }) => perSecond))).toLocaleString('en'),
        median(all.map(({ cpuMicros }) => cpuMicros)).toFixed(2),
      ]);
      rows.push([name, ...cells]);
      process.stderr.write(`${name}\n`);
    }
  } finally {
    for (const { server } of subjects) await server.stop();
    files.remove();
  }
  console.log(
    `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), commit ${commit()}, ` +
      `Node.js ${process.version}, Apache ZooKeeper ${apacheVersion()}\n`,
  );
  const names = subjects.map(({ kind }) => (kind === 'zksh' ? 'zksh' : 'Apache'));
  const heads = names.flatMap((name) => [`${name} per second`, `${name} CPU us each`]);
  printTable([['load, 10 x 32', ...heads], ...rows]);
}

const home = mkdtempSync(join(tmpdir(), 'zksh-bench-'));
try {
  await main(home);
} finally {
  rmSync(home, { recursive: true, force: true });
}
