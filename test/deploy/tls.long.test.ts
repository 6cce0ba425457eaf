/** Plays docs/tls.md on three processes, with the script in deploy/tls, under a steady load. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { askWord } from '../../src/client/index.js';
import { callTask } from '../commands/zkops/call-task.js';
import {
  makeSeats,
  type Seat,
  type Seats,
  waitUntilServing,
} from '../support/apache/oracle-ensemble.js';
import { freePort } from '../support/machine/free-port.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { blocksOf } from '../support/pages/page-examples.js';
import { SteadyWriters } from '../support/peers/steady-writers.js';
import { runZkops } from '../support/terminal/run-zkops.js';
import { runZksh } from '../support/terminal/run-zksh.js';
import { readProjectFile } from '../support/tidy/source-file.js';
import { waitFor } from '../support/wait-for.js';

const GUIDE = readProjectFile('docs/tls.md');
const SCRIPT = 'deploy/tls/make-certificates.sh';
const MEMBERS = [1, 2, 3];

/** The lines of the block of the guide with that name. */
function block(language: string, name: string): string {
  const [text] = blocksOf(GUIDE, `${language} ${name}`);
  assert.ok(text, `docs/tls.md has no block "${language} ${name}"`);
  return text;
}

interface Walk {
  readonly seats: Seats;
  readonly folder: string;
  readonly securePorts: readonly number[];
  /** Changes each zoo.cfg, and restarts the members in turn. */
  roll(change: (text: string, seat: Seat) => string): Promise<void>;
}

/** Adds the lines of a block, with the paths and ports of this test. */
function adding({ folder, securePorts }: Walk, name: string) {
  return (text: string, { sid }: Seat): string => {
    const lines = block('properties', name)
      .replaceAll('/etc/zookeeper/tls/member.pem', join(folder, `zk${sid}.pem`))
      .replaceAll('/etc/zookeeper/tls/ca.pem', join(folder, 'ca.pem'))
      .replace('=2281', `=${securePorts[sid - 1]}`);
    return `${text}${lines}`;
  };
}

async function walk(work: (walk: Walk) => Promise<void>): Promise<void> {
  const home = makeTempDir('tls-guide');
  const seats = await makeSeats({ participants: 3, config: { maxSessionTimeout: 60_000 } });
  const jaas = join(home.path, 'jaas.conf');
  const properties = { 'java.security.auth.login.config': jaas };
  try {
    writeFileSync(jaas, block('text', 'jaas'), { mode: 0o600 });
    const securePorts = [await freePort(), await freePort(), await freePort()];
    const running = new Map(MEMBERS.map((sid) => [sid, seats.startBundled(sid, properties)]));
    for (const sid of MEMBERS) await waitUntilServing(seats.of(sid));
    await work({
      seats,
      folder: home.path,
      securePorts,
      roll: async (change) => {
        for (const sid of MEMBERS) {
          const seat = seats.of(sid);
          await running.get(sid)?.stop();
          const text = readFileSync(seat.configFile, 'utf8');
          writeFileSync(seat.configFile, `${change(text, seat).trimEnd()}\n`);
          running.set(sid, seats.startBundled(sid, properties));
          const member = [serverOf(seat, securePorts)];
          await waitFor(`member ${sid}`, () => succeeds('ready', home.path, member), 60_000);
        }
        // The last member may have led: then the others elect again while it serves.
        const servers = seats.all.map((seat) => serverOf(seat, securePorts));
        await waitFor('the health', () => succeeds('health', home.path, servers), 60_000);
      },
    });
  } finally {
    await seats.close();
    home.remove();
  }
}

function serverOf({ sid, clientPort, configFile }: Seat, securePorts: readonly number[]): string {
  const isPlain = /^clientPort=/m.test(readFileSync(configFile, 'utf8'));
  return isPlain ? `localhost:${clientPort}` : `zks://localhost:${securePorts[sid - 1]}`;
}

async function succeeds(
  command: 'ready' | 'health',
  folder: string,
  servers: readonly string[],
): Promise<boolean> {
  const options = servers[0]?.startsWith('zks:') ? credentials(folder) : [];
  const words = [command, '--servers', servers.join(','), ...options];
  const run = command === 'ready' ? callTask(words, { ask: askWord }) : runZkops(words);
  return (await run).exitCode === 0;
}

function credentials(folder: string): string[] {
  return ['--cacert', join(folder, 'ca.pem'), '--cert', join(folder, 'app.pem')];
}

/** Whether the port answers bytes that no TLS begins with by an alert. */
function refusesPlain(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.alloc(64, 0xff)));
    socket.once('data', ([first]) => {
      socket.destroy();
      resolve(first === 0x15);
    });
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
}

test('an ensemble without TLS gets it, and names for its clients, step by step', () =>
  walk(async (step) => {
    const { seats, folder, securePorts, roll } = step;
    const make = spawnSync(
      'sh',
      [SCRIPT, folder, ...MEMBERS.map((sid) => `zk${sid},localhost,127.0.0.1`), 'app'],
      { encoding: 'utf8' },
    );
    assert.is(make.stderr, '');
    const secure = securePorts.map((port) => `localhost:${port}`).join(',');
    const zksh = (...args: string[]) =>
      runZksh([`zks://${secure}`, ...credentials(folder), ...args]);

    const plain = seats.all.map(({ connectString }) => connectString).join(',');
    const writers = await SteadyWriters.start(plain, 2);
    try {
      await roll(adding(step, 'clients'));
      await writers.goOn();
      assert.match((await zksh('-c', 'ls /')).stdout, 'load');

      await roll(adding(step, 'both'));
      await roll(adding(step, 'call'));
      await writers.goOn();
      await roll((text) => text.replace(block('properties', 'remove'), ''));
      await writers.goOn();
      for (const { electionPort } of seats.all) assert.ok(await refusesPlain(electionPort));
      await writers.pause();
      await writers.checkKeptAt(seats.all);
    } finally {
      await writers.close();
    }

    const [, create = ''] = /-c "(create \/app .*)"/.exec(GUIDE) ?? [];
    const granted = await zksh('-c', create, '-c', 'getAcl /app');
    assert.is(granted.code, 0, granted.stderr);
    assert.match(granted.stdout, "x509,'CN=app");
    assert.not.match(granted.stdout, 'world');
    await roll(adding(step, 'sasl'));
    const login = join(folder, 'app.login');
    writeFileSync(login, 'app:secret\n', { mode: 0o600 });
    assert.match((await zksh('--sasl-file', login, '-c', 'whoami')).stdout, /sasl.*app/);
    await roll(adding(step, 'enforce'));
    assert.is.not((await zksh('-c', 'ls /')).code, 0);
    const listed = await zksh('--sasl-file', login, '-c', 'ls /');
    assert.match(listed.stdout, 'app', `status ${listed.code}: ${listed.stderr}`);

    await roll((text) => text.replace(/^clientPort.*\n/gm, ''));
  }));

test('the script keeps existing files, and refuses a name that is a path', () => {
  const { path, remove } = makeTempDir('make-certificates');
  const run = (...args: string[]) => spawnSync('sh', [SCRIPT, path, ...args], { encoding: 'utf8' });
  try {
    assert.is(run('zk1').stdout, 'made ca.pem\nmade zk1.pem\n');
    const before = readFileSync(join(path, 'zk1.pem'), 'utf8');
    assert.is(run('zk1', 'zk2').stdout, 'made zk2.pem\n');
    assert.is(readFileSync(join(path, 'zk1.pem'), 'utf8'), before);
    assert.match(run('../zk3').stderr, /^make-certificates.sh: \.\.\/zk3: invalid name/);
    copyFileSync(join(path, 'ca.key'), join(path, 'kept.key'));
    rmSync(join(path, 'ca.key'));
    assert.match(run('zk4').stderr, /^make-certificates.sh: ca.key: not found/);
  } finally {
    remove();
  }
});

test.run();
