// zkserver beside Apache's zkServer.sh: the same zoo.cfg, pid file, and server.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isServing, oracleTest, ZOOKEEPER_JAR } from '../support/apache/oracle.js';
import { freePort } from '../support/machine/free-port.js';
import { makeTempDir } from '../support/machine/temp-dir.js';

const ZKSERVER = fileURLToPath(new URL('../../bin/zkserver.cjs', import.meta.url));
const SCRIPT = '/usr/share/zookeeper/bin/zkServer.sh';

type Env = Readonly<Record<string, string>>;

/** The real script over an environment that, unlike Debian's, the caller may set. */
function install(folder: string): string {
  mkdirSync(folder);
  const script = join(folder, 'zkServer.sh');
  copyFileSync(SCRIPT, script);
  const settings = [
    `CLASSPATH=${ZOOKEEPER_JAR}:/usr/share/java/slf4j-simple.jar`,
    'JAVA=/usr/bin/java',
    'JMXDISABLE=true',
    'test -n "$ZOOCFG" || ZOOCFG=zoo.cfg',
    'ZOOCFG="$ZOOCFGDIR/$ZOOCFG"',
  ];
  writeFileSync(join(folder, 'zkEnv.sh'), `${settings.join('\n')}\n`);
  return script;
}

function run(command: string, args: readonly string[], cwd: string, env: Env) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd, ...env },
    encoding: 'utf8',
  });
  return { status, out: stdout, err: stderr };
}

oracleTest('both programs find the same configuration', async () => {
  const home = makeTempDir('zkserver-script');
  try {
    const script = install(join(home.path, 'bin'));
    const conf = join(home.path, 'conf');
    const elsewhere = join(home.path, 'elsewhere');
    for (const folder of [conf, elsewhere]) {
      mkdirSync(folder);
      for (const name of ['zoo.cfg', 'b.cfg']) {
        const text = `dataDir=${join(folder, 'data')}\nclientPort=2181\n`;
        writeFileSync(join(folder, name), text);
      }
    }
    const env = { ZOOCFGDIR: conf, ZOO_LOG_DIR: home.path };
    for (const [operands, more] of [
      [[], {}],
      [[], { ZOOCFG: 'b.cfg' }],
      [['b.cfg'], {}],
      [['elsewhere/b.cfg'], {}],
      [[join(elsewhere, 'zoo.cfg')], { ZOOCFG: 'b.cfg' }],
    ] as const) {
      const args = ['print-cmd', ...operands];
      const theirs = run('bash', [script, ...args], home.path, { ...env, ...more });
      const ours = run(process.execPath, [ZKSERVER, ...args], home.path, { ...env, ...more });
      const file = /^Using config: (.*)$/m.exec(theirs.err)?.[1];
      assert.ok(file, theirs.err);
      assert.is(/ -- (\S+) >> /.exec(ours.out)?.[1], file, ours.err);
    }
  } finally {
    home.remove();
  }
});

oracleTest("Apache's script asks and stops a server that zkserver started", async () => {
  const home = makeTempDir('zkserver-script');
  const dataDir = join(home.path, 'data');
  const port = await freePort();
  const env = {
    ZOOCFGDIR: home.path,
    ZOO_LOG_DIR: join(home.path, 'logs'),
    SERVER_JVMFLAGS: '-Xmx64m -Dzookeeper.admin.enableServer=false',
  };
  const ours = (verb: string) => run(process.execPath, [ZKSERVER, verb], home.path, env);
  try {
    const script = install(join(home.path, 'bin'));
    const theirs = (verb: string) => run('bash', [script, verb], home.path, env);
    writeFileSync(join(home.path, 'zoo.cfg'), `dataDir=${dataDir}\nclientPort=${port}\n`);
    for (const stop of [theirs, ours]) {
      const started = ours('start');
      assert.is(started.status, 0, started.err);
      assert.match(started.err, `Using config: ${join(home.path, 'zoo.cfg')}`);
      assert.match(started.err, 'zkserver: -Xmx64m: ignored: this server has no JVM');
      assert.match(theirs('status').out, /^Mode: standalone$/m);
      assert.is(ours('status').out, 'Mode: standalone\n');
      assert.match(theirs('start').out, /already running as process \d+/);
      assert.match(stop('stop').out, /STOPPED/);
      assert.not(existsSync(join(dataDir, 'zookeeper_server.pid')));
      assert.not(await isServing(port));
    }
    assert.match(readFileSync(join(home.path, 'logs', 'zkserver.out'), 'utf8'), 'serving on');
  } finally {
    ours('stop');
    home.remove();
  }
});

oracleTest("Debian's own file is the default of both", () => {
  const theirs = run('bash', [SCRIPT, 'print-cmd'], '/', {});
  const file = /^Using config: (.*)$/m.exec(theirs.err)?.[1] ?? '';
  if (!existsSync(file)) return;
  const ours = run(process.execPath, [ZKSERVER, 'print-cmd'], '/', {});
  assert.match(ours.err, `Using config: ${file}\n`);
});

test.run();
