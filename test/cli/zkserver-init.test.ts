// conformance: runs against Apache's server, too.
/** zkserver init makes servers that serve; under systemd a server says when it is ready. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseConfig } from '../../src/server/config/parse-config.js';
import { isServing } from '../support/apache/oracle.js';
import { runZkserver } from '../support/bundled.js';
import { freePort } from '../support/machine/free-port.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { waitFor } from '../support/wait-for.js';

const ZKSERVER = fileURLToPath(new URL('../../bin/zkserver.cjs', import.meta.url));

function init(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [ZKSERVER, 'init', ...args], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

async function inFolder(use: (folder: string) => Promise<void> | void): Promise<void> {
  const { path, remove } = makeTempDir('init');
  try {
    await use(path);
  } finally {
    remove();
  }
}

test('init DIR writes a zoo.cfg without a warning, its folders, and myid', () =>
  inFolder((folder) => {
    const home = join(folder, 'new', 'zk');
    const { status, stdout } = init(home, '--client-port', '2191', '--myid', '4');
    assert.is(status, 0);
    assert.match(stdout, `initialized ${home}/data and ${home}/log\n`);
    const result = parseConfig(readFileSync(join(home, 'zoo.cfg'), 'utf8'), {
      fileName: 'zoo.cfg',
    });
    if ('errors' in result) throw new Error(result.errors[0]?.text);
    assert.equal(result.warnings, []);
    assert.is(result.config.clientPort, 2191);
    assert.is(result.config.dataDir, join(home, 'data'));
    assert.is(result.config.dataLogDir, join(home, 'log'));
    assert.is(readFileSync(join(home, 'data', 'myid'), 'utf8'), '4\n');
    assert.ok(existsSync(join(home, 'log', 'version-2')));
  }));

test('every commented key of the zoo.cfg is one that the server takes', () =>
  inFolder((folder) => {
    init(folder);
    const text = readFileSync(join(folder, 'zoo.cfg'), 'utf8');
    const commented = text.match(/^#(?!server\.)[\w.]+=.*$/gm) ?? [];
    assert.ok(commented.length > 8);
    for (const line of commented) {
      const one = `${line.slice(1)}\ndataDir=/d\nclientPort=1\ninitLimit=5\nsyncLimit=2\n`;
      const result = parseConfig(one, { fileName: 'zoo.cfg' });
      if ('errors' in result) throw new Error(`${line}: ${result.errors[0]?.text}`);
      assert.equal(result.warnings, [], line);
    }
  }));

test('init --force deletes nothing of a server that runs', () =>
  inFolder(async (folder) => {
    const port = await freePort();
    assert.is(init(folder, '--client-port', `${port}`).status, 0);
    const file = join(folder, 'zoo.cfg');
    const options = ['-D', 'zookeeper.admin.enableServer=false'];
    const server = runZkserver(['start-foreground', file, ...options]);
    try {
      await waitFor('the server to serve', () => isServing(port));
      const filesOf = () => readdirSync(join(folder, 'data', 'version-2')).toSorted();
      const before = filesOf();
      for (const place of [folder, file]) {
        const { status, stderr } = init(place, '--force');
        assert.is(status, 4, stderr);
        assert.match(stderr, `port ${port}: a server listens there`);
        assert.match(stderr, 'sudo systemctl stop zkserver');
      }
      assert.equal(filesOf(), before);
      const text = readFileSync(file, 'utf8');
      assert.match(text, `clientPort=${port}`);
      // Since its start, the file got another port, or an error.
      for (const change of [text.replace(`${port}`, `${await freePort()}`), 'no zoo.cfg']) {
        writeFileSync(file, change);
        const { status, stderr } = init(folder, '--force');
        assert.is(status, 4, stderr);
        assert.match(stderr, `process ${server.process.pid} uses it (expected a stopped server)`);
        assert.equal(filesOf(), before);
      }
    } finally {
      await server.stop('SIGKILL');
    }
    writeFileSync(file, 'no zoo.cfg');
    assert.is(init(folder, '--force').status, 0);
  }));

test('init changes nothing where a server is, and --force replaces it', () =>
  inFolder((folder) => {
    assert.is(init(folder).status, 0);
    const log = join(folder, 'log', 'version-2', 'log.1');
    writeFileSync(log, 'precious');
    const second = init(folder, '--client-port', '2999');
    assert.is(second.status, 4);
    assert.match(second.stderr, /zoo\.cfg: exists; use --force to replace it/);
    assert.ok(existsSync(log));
    assert.is(init(folder, '--client-port', '2999', '--force').status, 0);
    assert.not.ok(existsSync(log));
    assert.match(readFileSync(join(folder, 'zoo.cfg'), 'utf8'), 'clientPort=2999');
  }));

test('init refuses members that cannot be', () =>
  inFolder((folder) => {
    const home = join(folder, 'zk');
    const cases = [
      [['--servers', 'a,b,c'], /--servers: expected --myid from 1 to 3/],
      [['--servers', 'a,b,c', '--myid', '4'], /--servers: expected --myid from 1 to 3/],
      [
        ['--servers', 'a,b:1,c', '--myid', '1'],
        /--servers a,b:1,c: invalid server: ".*" \(expected host:port:port/,
      ],
      [
        ['--servers', 'a,,c', '--myid', '1'],
        /--servers a,,c: invalid server: ".*" \(expected host:port:port/,
      ],
    ] as const;
    for (const [args, message] of cases) {
      const { status, stderr } = init(home, ...args);
      assert.is(status, 64, stderr);
      assert.match(stderr, message);
    }
    assert.not.ok(existsSync(home));
    const other = init(join(folder, 'no.cfg'), '--servers', 'a', '--myid', '1');
    assert.match(other.stderr, /--servers: needs a new folder/);
  }));

test('three folders of init are an ensemble', () =>
  inFolder(async (folder) => {
    const ports = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8, 9].map(freePort));
    const clients = ports.slice(0, 3);
    const entries = clients.map(
      (port, at) => `127.0.0.1:${ports[3 + at]}:${ports[6 + at]};127.0.0.1:${port}`,
    );
    const running = [];
    try {
      for (const sid of [1, 2, 3]) {
        const home = join(folder, `zk${sid}`);
        assert.is(init(home, '--servers', entries.join(), '--myid', `${sid}`).status, 0);
        const noAdmin = ['-D', 'zookeeper.admin.enableServer=false'];
        running.push(runZkserver(['start-foreground', join(home, 'zoo.cfg'), ...noAdmin]));
      }
      for (const port of clients) {
        await waitFor(`the member at ${port} to serve`, () => isServing(port), 60_000);
      }
    } finally {
      await Promise.all(running.map((server) => server.stop('SIGKILL')));
    }
  }));

/** A server with a systemd-notify that writes its arguments to a file, and `script` besides. */
async function underSystemd(
  script: string,
  use: (server: ReturnType<typeof runZkserver>, told: () => string) => Promise<void>,
): Promise<void> {
  await inFolder(async (folder) => {
    const program = join(folder, 'systemd-notify');
    const record = join(folder, 'told');
    writeFileSync(program, `#!/bin/sh\necho "$*" >> ${record}\n${script}\n`);
    chmodSync(program, 0o755);
    const server = runZkserver(
      ['start-foreground', '0', join(folder, 'data'), '-D', 'zookeeper.admin.enableServer=false'],
      ['env', 'NOTIFY_SOCKET=/run/none', `PATH=${folder}${delimiter}${process.env['PATH']}`],
    );
    try {
      await use(server, () => (existsSync(record) ? readFileSync(record, 'utf8') : ''));
    } finally {
      await server.stop('SIGKILL');
    }
  });
}

test('a server under systemd reports that it serves, once it does', () =>
  underSystemd('', async ({ output }, told) => {
    await waitFor('the message to systemd', () => told() !== '');
    assert.is(told(), '--ready --status=serving\n');
    assert.match(output(), /serving on/);
  }));

test('a server that cannot reach systemd serves, and reports why', () =>
  underSystemd('echo no socket >&2; exit 1', async ({ output }) => {
    await waitFor('the report', () => output().includes('systemd-notify: failed: '));
    assert.match(output(), 'no socket');
  }));

test('an init that fails leaves no zoo.cfg, by which scripts see that it is done', () =>
  inFolder((folder) => {
    mkdirSync(join(folder, 'data', 'myid'), { recursive: true });
    assert.is(init(folder, '--myid', '4').status, 4);
    assert.not.ok(existsSync(join(folder, 'zoo.cfg')));
    rmdirSync(join(folder, 'data', 'myid'));
    assert.is(init(folder, '--myid', '4').status, 0);
  }));

test.run();
