/**
 * The files of either server, read by zkops and by Apache's own tools: the same records, the same
 * verdict, the same files left by a clean-up.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { callTask, taskJson } from '../commands/zkops/call-task.js';
import { oracleTest, startOracle } from '../support/apache/oracle.js';
import { startBundled } from '../support/bundled.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { compareNcdu } from './support/compare-ncdu.js';
import { isSealed } from './support/is-sealed.js';
import { makeWorld } from './support/make-world.js';
import { type JavaOutcome, runJavaWith } from './support/run-java.js';
import { WORLD_KINDS } from './support/world.js';
import { WorldRunner } from './support/world-runner.js';
import { digestId, SUPER_USER } from './support/world-values.js';

const TOOLKIT = 'org.apache.zookeeper.server.persistence.TxnLogToolkit';
const FORMATTER = 'org.apache.zookeeper.server.SnapshotFormatter';
const PURGE = 'org.apache.zookeeper.server.PurgeTxnLog';
const SNAPPY_JAR = '/usr/share/java/snappy-java.jar';
const JARS = ['/usr/share/java/commons-cli.jar', SNAPPY_JAR];
const CONFIG = {
  tickTime: '2000',
  maxSessionTimeout: '600000',
  extendedTypesEnabled: 'true',
  /** Several snapshots and logs. */
  snapCount: '100',
  'DigestAuthenticationProvider.superDigest': digestId(SUPER_USER),
};

const runJava = (args: readonly string[]) => runJavaWith(JARS, args);

type Start = (dataDir: string, config: Record<string, string>) => Promise<Serving>;

interface Serving {
  readonly port: number;
  close(): Promise<void>;
}

const startOurs: Start = (dataDir, config) => startBundled({ dataDir, config });
const startTheirs: Start = (dataDir, config) => startOracle({ dataDir, config, jars: JARS });

/** The data directory of a server after requests of every kind. */
async function fill(start: Start, home: string, config: Record<string, string> = CONFIG) {
  const dataDir = join(home, 'data');
  mkdirSync(dataDir);
  for (const [index, kind] of WORLD_KINDS.entries()) {
    const server = await start(dataDir, config);
    try {
      const world = makeWorld(900 + index, `/turn-${index}`, kind, 300);
      const { runner } = await WorldRunner.start(server.port, world.clients);
      for (const step of world.steps) await runner.step(step);
      await runner.abandon();
    } finally {
      await server.close();
    }
  }
  const folder = join(dataDir, 'version-2');
  const names = readdirSync(folder);
  return {
    dataDir,
    folder,
    logs: names.filter((name) => name.startsWith('log.')).map((name) => join(folder, name)),
    snapshots: names
      .filter((name) => /^snapshot\.[0-9a-f]+(\.gz|\.snappy)?$/.test(name))
      .map((name) => join(folder, name)),
  };
}

/** A JVM takes a second per file, so check only three of many. */
function newest(paths: readonly string[]): string[] {
  const zxidOf = (path: string) =>
    Number.parseInt(path.replace(/^.*\/\w+\.([0-9a-f]+).*$/, '$1'), 16);
  return paths.toSorted((a, b) => zxidOf(b) - zxidOf(a)).slice(0, 3);
}

/** The records of a log, one per line. */
async function oursOf(log: string): Promise<string[]> {
  const { rows } = await taskJson(['log', 'dump', log]);
  return rows.map(({ zxid, session, cxid, type, check }) => {
    const hex = BigInt.asUintN(64, BigInt(Number(cxid))).toString(16);
    return `${check === 'bad' ? 'CRC ERROR ' : ''}${session} 0x${hex} ${zxid} ${type}`;
  });
}

/** The same by Apache's tool. It prints a damaged record twice, once with the error. */
function theirsOf({ out }: JavaOutcome): string[] {
  const line =
    /^(CRC ERROR - )?\d+\/\d+\/\d+, .* session (0x\w+) cxid (0x\w+) zxid (0x\w+) (\w+)/gm;
  const found: string[] = [];
  for (const [, error, session, cxid, zxid, type] of out.matchAll(line)) {
    // Its name for createTTL.
    const known = type === 'createTtl' ? 'createTTL' : type;
    const record = `${session} ${cxid} ${zxid} ${known}`;
    if (found.at(-1) === `CRC ERROR ${record}`) continue;
    found.push(`${error === undefined ? '' : 'CRC ERROR '}${record}`);
  }
  return found;
}

async function compareLogs(start: Start): Promise<void> {
  const home = makeTempDir('toolkits');
  try {
    const { logs, dataDir } = await fill(start, home.path);
    assert.ok(logs.length > 2, 'several logs');
    for (const log of newest(logs)) {
      const theirs = await runJava([TOOLKIT, log]);
      assert.is(theirs.exitCode, 0);
      const ours = await oursOf(log);
      assert.equal(ours, theirsOf(theirs), log);
      assert.ok(theirs.out.includes(`EOF reached after ${ours.length} txns.`));
    }
    assert.is((await callTask(['log', 'verify', dataDir])).exitCode, 0);
  } finally {
    home.remove();
  }
}

oracleTest("Apache's logs have the records that TxnLogToolkit finds", () =>
  compareLogs(startTheirs),
);
oracleTest('logs of zkserver have the records that TxnLogToolkit finds', () =>
  compareLogs(startOurs),
);

oracleTest('a damaged log gets the verdict of TxnLogToolkit', async () => {
  const home = makeTempDir('toolkits');
  try {
    const { logs } = await fill(startOurs, home.path);
    const [log = ''] = logs.sort((a, b) => readFileSync(b).length - readFileSync(a).length);
    const bytes = readFileSync(log);
    const { rows } = await taskJson(['log', 'dump', log]);
    const offset = Number(rows[10]?.['offset']);
    const end = Number(rows.at(-1)?.['offset']);
    const damages: readonly [string, Buffer, number][] = [
      ['a flipped bit', changed(bytes, offset + 12 + 8, (bytes[offset + 20] ?? 0) ^ 1), 2],
      ['a wrong magic', changed(bytes, 0, 0x21), 2],
      ['no end mark', changed(bytes.subarray(0, padStart(bytes)), padStart(bytes) - 1, 0), 1],
      ['truncated in a record', bytes.subarray(0, end + 30), 1],
    ];
    for (const [what, damaged, exitCode] of damages) {
      const copy = join(home.path, 'log.1');
      writeFileSync(copy, damaged);
      const theirs = await runJava([TOOLKIT, copy]);
      const verified = await callTask(['log', 'verify', copy]);
      assert.is(verified.exitCode, exitCode, what);
      if (what === 'a wrong magic') assert.is(theirs.exitCode, 2, what);
      else {
        // A record without its end mark was still written, and Apache's tool prints it before it
        // ends.
        const isLastCut = what === 'no end mark';
        const found = theirsOf(theirs);
        assert.equal(await oursOf(copy), isLastCut ? found.slice(0, -1) : found, what);
        assert.is(theirs.exitCode, isLastCut ? 1 : 0, what);
      }
    }
  } finally {
    home.remove();
  }
});

function changed(bytes: Buffer, offset: number, to: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[offset] = to;
  return copy;
}

/** The offset after the last byte that is not zero. */
function padStart(bytes: Buffer): number {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return end;
}

/** Every znode in the text of SnapshotFormatter, and its sessions. */
function formatted({ out }: JavaOutcome): { nodes: string[]; sessions: string[] } {
  const nodes = [...out.matchAll(/^(\/.*)\n((?: {2}\w+ = .*\n?)+)/gm)].map(
    ([, path, lines = '']) => {
      const value = (key: string) => new RegExp(`^ {2}${key} = (.*)$`, 'm').exec(lines)?.[1] ?? '';
      const id = (key: string) => `0x${BigInt(value(key)).toString(16)}`;
      return [
        path,
        id('cZxid'),
        id('mZxid'),
        id('pZxid'),
        value('cversion'),
        value('dataVersion'),
        value('aclVersion'),
        id('ephemeralOwner'),
        value('dataLength'),
      ].join(' ');
    },
  );
  const sessions = [...out.matchAll(/^(0x\w+), (\d+), (\d+)$/gm)].map(([, id, timeout, count]) =>
    [`0x${BigInt(id ?? 0).toString(16)}`, timeout, count].join(' '),
  );
  return { nodes: nodes.sort(), sessions: sessions.sort() };
}

async function compareSnapshots(start: Start, config: Record<string, string>): Promise<void> {
  const home = makeTempDir('toolkits');
  try {
    const { snapshots } = await fill(start, home.path, config);
    assert.ok(snapshots.length > 1, 'several snapshots');
    let compared = 0;
    for (const snapshot of newest(snapshots)) {
      const { exitCode, out } = await callTask(['snap', 'verify', snapshot]);
      const outcome = await runJava([FORMATTER, snapshot]);
      // Apache's server does not wait for a pending snapshot when it ends. Its formatter reads no
      // further than the znodes.
      if (outcome.exitCode !== 0 || !(await isSealed(snapshot))) {
        assert.is(exitCode, 2, `${snapshot} is damaged: ${out}`);
        continue;
      }
      assert.is(exitCode, 0, out);
      compared++;
      const theirs = formatted(outcome);
      const nodes = (await taskJson(['snap', 'dump', snapshot])).rows.map((row) =>
        [
          row['path'],
          row['czxid'],
          row['mzxid'],
          row['pzxid'],
          row['cversion'],
          row['version'],
          row['aversion'],
          row['owner'],
          row['bytes'] ?? 0,
        ].join(' '),
      );
      assert.equal(nodes.sort(), theirs.nodes, snapshot);
      const sessions = (await taskJson(['snap', 'dump', snapshot, '--sessions'])).rows.map((row) =>
        [row['session'], row['timeout_ms'], row['ephemerals']].join(' '),
      );
      assert.equal(sessions.sort(), theirs.sessions, snapshot);
      await compareNcdu(snapshot, (await runJava([FORMATTER, '-json', snapshot])).out);
    }
    assert.ok(compared > 0, 'no valid snapshot');
  } finally {
    home.remove();
  }
}

oracleTest("Apache's snapshots have the znodes that SnapshotFormatter finds", () =>
  compareSnapshots(startTheirs, CONFIG),
);
oracleTest("Apache's gzip snapshots have the znodes that SnapshotFormatter finds", () =>
  compareSnapshots(startTheirs, { ...CONFIG, 'snapshot.compression.method': 'gz' }),
);
oracleTest("Apache's snappy snapshots have the znodes that SnapshotFormatter finds", () =>
  compareSnapshots(startTheirs, { ...CONFIG, 'snapshot.compression.method': 'snappy' }),
);
oracleTest('snapshots of zkserver have the znodes that SnapshotFormatter finds', () =>
  compareSnapshots(startOurs, CONFIG),
);
oracleTest('snappy snapshots of zkserver have the znodes that SnapshotFormatter finds', () =>
  compareSnapshots(startOurs, { ...CONFIG, 'snapshot.compression.method': 'snappy' }),
);

oracleTest('the log of a running Apache server is not truncated', async () => {
  const server = await startOracle();
  try {
    const { runner } = await WorldRunner.start(server.port, 1);
    await runner.abandon();
    const folder = join(server.dataDir, 'version-2');
    const log = readdirSync(folder).find((name) => name.startsWith('log.')) ?? '';
    const args = ['log', 'truncate', join(folder, log), '--after', '1', '--yes'];
    const { exitCode, error } = await callTask(args);
    assert.is(exitCode, 64);
    const open = new RegExp(`process ${server.pid()} has .*${log} open: stop that server first`);
    assert.match(error, open);
  } finally {
    await server.close();
  }
});

oracleTest('clean leaves the files that PurgeTxnLog leaves', async () => {
  const home = makeTempDir('toolkits');
  try {
    const { dataDir, snapshots } = await fill(startOurs, home.path);
    assert.ok(snapshots.length > 3, 'more than are kept');
    const [ours, theirs] = [join(home.path, 'ours'), join(home.path, 'theirs')];
    for (const copy of [ours, theirs]) cpSync(dataDir, copy, { recursive: true });
    assert.is((await runJava([PURGE, theirs, theirs, '-n', '3'])).exitCode, 0);
    assert.is((await callTask(['clean', ours, '--keep', '3', '--yes'])).exitCode, 0);
    const left = (folder: string) => readdirSync(join(folder, 'version-2')).sort();
    assert.equal(left(ours), left(theirs));
    assert.ok(left(ours).length < left(dataDir).length, 'some went');
  } finally {
    home.remove();
  }
});

test.run();
