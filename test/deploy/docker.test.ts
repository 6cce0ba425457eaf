/** The image in deploy/docker: its entry script as a process, and its Dockerfile as text. */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../src/client/index.js';
import { parseConfig } from '../../src/server/config/parse-config.js';
import { freePort } from '../support/machine/free-port.js';
import { programPath } from '../support/machine/program-path.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { watchProcess } from '../support/machine/watched-process.js';
import { waitFor } from '../support/wait-for.js';

const ENTRYPOINT = 'deploy/docker/entrypoint.sh';
const DOCKERFILE = readFileSync('deploy/docker/Dockerfile', 'utf8');

type Env = Readonly<Record<string, string>>;

/** The environment of a container whose volumes are in `folder`. */
function containerEnv(folder: string, env: Env): NodeJS.ProcessEnv {
  return {
    PATH: programPath(folder),
    ZOO_CONF_DIR: join(folder, 'conf'),
    ZOO_DATA_DIR: join(folder, 'data'),
    ZOO_DATA_LOG_DIR: join(folder, 'datalog'),
    ...env,
  };
}

async function inFolder(use: (folder: string) => Promise<void> | void): Promise<void> {
  const { path, remove } = makeTempDir('docker');
  try {
    await use(path);
  } finally {
    remove();
  }
}

/** Runs the entry script with a zkserver that prints its arguments. */
function enter(folder: string, env: Env, command = ['zkserver', 'start-foreground']) {
  const variables = containerEnv(folder, env);
  const fake = join(folder, 'bin', 'zkserver');
  writeFileSync(fake, '#!/bin/sh\necho "$@"\n');
  chmodSync(fake, 0o755);
  return spawnSync('sh', [ENTRYPOINT, ...command], { encoding: 'utf8', env: variables });
}

const configOf = (folder: string) => readFileSync(join(folder, 'conf', 'zoo.cfg'), 'utf8');

test('the entry script takes the variables of the official image', () =>
  inFolder((folder) => {
    const { stdout, stderr } = enter(folder, {
      ZOO_MY_ID: '2',
      ZOO_SERVERS: ['zk1', 'zk2', 'zk3']
        .map((host, at) => `server.${at + 1}=${host}:2888:3888;2181`)
        .join(' '),
      ZOO_CFG_EXTRA: 'preAllocSize=1024 admin.serverPort=9090',
      ZOO_4LW_COMMANDS_WHITELIST: '*',
      ZOO_TICK_TIME: '3000',
      ZOO_INIT_LIMIT: '9',
      ZOO_SYNC_LIMIT: '4',
      ZOO_AUTOPURGE_PURGEINTERVAL: '6',
      ZOO_AUTOPURGE_SNAPRETAINCOUNT: '5',
      ZOO_MAX_CLIENT_CNXNS: '0',
      ZOO_STANDALONE_ENABLED: 'false',
      ZOO_ADMINSERVER_ENABLED: 'false',
    });
    assert.is(stderr, '');
    assert.is(stdout, `start-foreground ${folder}/conf/zoo.cfg\n`);
    assert.is(readFileSync(join(folder, 'data', 'myid'), 'utf8'), '2\n');
    const result = parseConfig(configOf(folder), { fileName: 'zoo.cfg' });
    if ('errors' in result) throw new Error(result.errors[0]?.text);
    assert.equal(result.warnings, []);
    const { config } = result;
    assert.equal(
      config.servers.map(({ sid, addresses }) => [sid, addresses[0]?.host]),
      [
        [1, 'zk1'],
        [2, 'zk2'],
        [3, 'zk3'],
      ],
    );
    assert.is(config.tickTimeMs, 3000);
    assert.is(config.autopurgePurgeIntervalHours, 6);
    assert.is(config.fourLetterWordWhitelist, '*');
    assert.is(config.adminServerPort, 9090);
    assert.is(config.standaloneEnabled, false);
    assert.is(config.adminEnableServer, false);
  }));

test('a zoo.cfg and a myid that exist stay, and another command needs neither', () =>
  inFolder((folder) => {
    enter(folder, { ZOO_MY_ID: '1' });
    enter(folder, { ZOO_MY_ID: '7', ZOO_TICK_TIME: '9' });
    assert.match(configOf(folder), /^tickTime=2000$/m);
    assert.is(readFileSync(join(folder, 'data', 'myid'), 'utf8'), '1\n');
    const other = join(folder, 'other');
    mkdirSync(other);
    assert.is(enter(other, {}, ['echo', 'hello']).stdout, 'hello\n');
    assert.not.ok(existsSync(join(other, 'conf')));
  }));

test('the entry script names the variable that is wrong', () =>
  inFolder((folder) => {
    const bad = enter(folder, { ZOO_CFG_EXTRA: 'a=b oops' });
    assert.is(bad.status, 64);
    assert.match(bad.stderr, /expected key=value in ZOO_SERVERS and ZOO_CFG_EXTRA, found "oops"/);
    assert.not.ok(existsSync(join(folder, 'conf', 'zoo.cfg')));
    assert.match(enter(folder, { ZOO_MY_ID: 'x' }).stderr, /ZOO_MY_ID: expected a number/);
    writeFileSync(join(folder, 'file'), '');
    const place = enter(folder, { ZOO_DATA_DIR: join(folder, 'file', 'data') });
    assert.match(place.stderr, /file\/data: not writable to user \d+: chown it/);
  }));

test('a container serves, its health check says so, and SIGTERM ends it in order', () =>
  inFolder(async (folder) => {
    const [client, quorum, election] = await Promise.all([freePort(), freePort(), freePort()]);
    const env = containerEnv(folder, {
      ZOO_SERVERS: `server.1=127.0.0.1:${quorum}:${election};127.0.0.1:${client}`,
      ZOO_ADMINSERVER_ENABLED: 'false',
      ZOO_HEALTH_PORT: `${client}`,
    });
    const command = [ENTRYPOINT, 'zkserver', 'start-foreground'];
    const server = watchProcess(spawn('sh', command, { env, stdio: ['ignore', 'pipe', 'pipe'] }));
    try {
      const [, check = ''] = /HEALTHCHECK .*\\\n\s+CMD (.*)/.exec(DOCKERFILE) ?? [];
      const healthy = () => spawnSync('sh', ['-c', check], { env }).status;
      await waitFor('the container to be healthy', () => healthy() === 0, 60_000);
      const zk = createClient({ connectString: `127.0.0.1:${client}` });
      await zk.connect();
      await zk.create('/in-a-container', Buffer.from('x'));
      await zk.close();
      assert.is(await server.stop('SIGTERM'), 0);
      assert.is(healthy(), 1);
    } finally {
      await server.stop('SIGKILL');
    }
  }));

test('a linter finds nothing in the Dockerfile, and would find a mistake', () => {
  const faultsOf = (text: string) => validate(text).map(({ message }) => message);
  assert.equal(faultsOf(DOCKERFILE), []);
  const broken = DOCKERFILE.replace('EXPOSE 2181', 'EXPOSE 2181x').replace('USER ', 'USERS ');
  assert.is(faultsOf(broken).length, 2);
});

test('the Dockerfile sets the defaults of the entry script, and copies files that exist', () => {
  const script = readFileSync(ENTRYPOINT, 'utf8');
  const defaults = [...script.matchAll(/\$\{(ZOO_\w+):-([^}]+)\}/g)]
    .filter(([, name]) => !['ZOO_SERVERS', 'ZOO_MY_ID'].includes(name ?? ''))
    .map(([, name, value]) => `${name}=${value}`);
  assert.ok(defaults.length >= 11);
  const last = DOCKERFILE.split(/^FROM /m).at(-1) ?? '';
  for (const one of defaults) assert.ok(last.includes(`${one} \\`), one);
  const copied = [...DOCKERFILE.matchAll(/^COPY (?:--chmod=\d+ )?(deploy\S+)/gm)].map(([, f]) => f);
  assert.is(copied.length, 2);
  for (const file of copied) assert.ok(existsSync(file ?? ''), file);
});

test('the image runs as a user without rights, from a base image with a version', () => {
  assert.match(DOCKERFILE, /^USER [1-9]\d*:[1-9]\d*$/m);
  const bases = [...DOCKERFILE.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
  assert.equal([...new Set(bases)], ['node:24-bookworm-slim']);
  assert.not.match(DOCKERFILE, /^ADD /m);
  const ignored = readFileSync('.dockerignore', 'utf8');
  assert.match(ignored, /^\*$/m);
  for (const need of ['deploy', 'scripts', 'src'])
    assert.match(ignored, new RegExp(`^!${need}$`, 'm'));
});

test.run();
