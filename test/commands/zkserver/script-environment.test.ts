import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CommandError } from '../../../src/commands/program/command-error.js';
import {
  ignoredSettings,
  withEnvironment,
} from '../../../src/commands/zkserver/script-environment.js';
import { makeTempDir } from '../../support/machine/temp-dir.js';

type Env = Readonly<Record<string, string>>;

/** Folders bin, conf, system/conf, and system; `files` are created in them. */
function inPlaces(files: readonly string[], use: (world: World) => void): void {
  const home = makeTempDir('script-environment');
  try {
    const at = (name: string) => join(home.path, name);
    for (const folder of ['bin', 'conf', 'system', 'system/conf', 'own']) mkdirSync(at(folder));
    for (const file of files) writeFileSync(at(file), '');
    use(new World(home.path));
  } finally {
    home.remove();
  }
}

class World {
  readonly said: string[] = [];
  private readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  at(name: string): string {
    return join(this.path, name);
  }

  call(operands: readonly string[], env: Env = {}, ownProperties: Env = {}) {
    const io = {
      env,
      writeOut: () => undefined,
      writeError: (line: string) => this.said.push(line),
    };
    const places = {
      program: this.at('bin/zkserver'),
      systemFolders: [this.at('system/conf'), this.at('system')],
    };
    const args = { operands, properties: ownProperties, ownProperties, options: {} };
    return withEnvironment(args, io, places);
  }

  /** The file that was found, without its folder. */
  found(operands: readonly string[], env: Env = {}): string {
    const [file = ''] = this.call(operands, env).operands;
    return file.startsWith(this.path) ? file.slice(this.path.length + 1) : file;
  }
}

test('without a configuration, the folder beside the program comes first, then those of the system', () => {
  inPlaces(['conf/zoo.cfg', 'system/conf/zoo.cfg', 'system/zoo.cfg'], (world) => {
    assert.is(world.found([]), 'conf/zoo.cfg');
    assert.equal(world.said, [`Using config: ${world.at('conf/zoo.cfg')}`]);
  });
  inPlaces(['system/conf/zoo.cfg', 'system/zoo.cfg'], (world) => {
    assert.is(world.found([]), 'system/conf/zoo.cfg');
  });
  inPlaces(['system/zoo.cfg'], (world) => assert.is(world.found([]), 'system/zoo.cfg'));
});

test('ZOOCFGDIR is the only folder, and ZOOCFG the name', () => {
  inPlaces(['conf/zoo.cfg', 'own/zoo.cfg', 'own/b.cfg'], (world) => {
    const ZOOCFGDIR = world.at('own');
    assert.is(world.found([], { ZOOCFGDIR }), 'own/zoo.cfg');
    assert.is(world.found([], { ZOOCFGDIR, ZOOCFG: 'b.cfg' }), 'own/b.cfg');
    assert.is(world.found([], { ZOOCFG: world.at('own/b.cfg') }), 'own/b.cfg');
    assert.is(world.found([], { ZOOCFGDIR: '', ZOOCFG: '' }), 'conf/zoo.cfg');
    assert.throws(
      () => world.found([], { ZOOCFGDIR, ZOOCFG: 'c.cfg' }),
      (error: unknown) =>
        error instanceof CommandError &&
        error.exitCode === 64 &&
        error.message === `no configuration: not found: ${world.at('own/c.cfg')}` &&
        /ZOOCFGDIR$/.test(error.hint ?? ''),
    );
  });
});

test('a name is one in the folder, and a path, a port, or a file here is itself', () => {
  inPlaces(['own/b.cfg', 'own/package.json'], (world) => {
    const env = { ZOOCFGDIR: world.at('own') };
    assert.is(world.found(['b.cfg'], env), 'own/b.cfg');
    assert.is(world.found(['./b.cfg'], env), './b.cfg');
    assert.is(world.found(['package.json'], env), 'package.json');
    assert.is(world.found(['missing.cfg'], env), 'missing.cfg');
    assert.equal(world.call(['2181', 'data'], env).operands, ['2181', 'data']);
    assert.equal(world.call(['2181'], env).operands, ['2181']);
  });
});

test('the properties of JVMFLAGS count, and those of the command line more', () => {
  inPlaces(['conf/zoo.cfg'], (world) => {
    const env = {
      SERVER_JVMFLAGS: '-Xmx1g -Dzookeeper.a=1  -Dzookeeper.b=1 -Dzookeeper.c=1',
      JVMFLAGS: '-Dzookeeper.b=2 -Dzookeeper.d -Dzookeeper.c=2',
      ZOO_DATADIR_AUTOCREATE_DISABLE: 'yes',
    };
    const { properties, ownProperties } = world.call([], env, { 'zookeeper.c': '3' });
    assert.equal(properties, {
      'zookeeper.datadir.autocreate': 'false',
      'zookeeper.a': '1',
      'zookeeper.b': '2',
      'zookeeper.c': '3',
      'zookeeper.d': '',
    });
    assert.equal(ownProperties, { 'zookeeper.c': '3' });
  });
});

test('the flags in zookeeper-env.sh, java.env, and the file of Debian count', () => {
  inPlaces(['conf/zoo.cfg'], (world) => {
    const write = (name: string, text: string) => writeFileSync(world.at(`conf/${name}`), text);
    write('environment', 'JAVA_OPTS="-Djute.maxbuffer=1 -Dzookeeper.a=1"\nZOOMAIN=x\n');
    write(
      'zookeeper-env.sh',
      'export SERVER_JVMFLAGS="$SERVER_JVMFLAGS -Djute.maxbuffer=4194304"\n',
    );
    write('java.env', "export JVMFLAGS='-Dzookeeper.b=2'\\\n\n");
    assert.equal(world.call([], { JVMFLAGS: '-Dzookeeper.c=3' }).properties, {
      'jute.maxbuffer': '4194304',
      'zookeeper.a': '1',
      'zookeeper.b': '2',
    });
    assert.equal(ignoredSettings({ operands: [world.at('conf/zoo.cfg')] }, {}), []);
  });
});

test('each setting without an effect is named', () => {
  inPlaces(['own/zoo.cfg'], (world) => {
    const env = { ZOOMAIN: 'org.example.Main', JVMFLAGS: '-Xmx1g -Dx=y', JMXPORT: '' };
    writeFileSync(world.at('own/java.env'), 'ulimit -n 1\nJVMFLAGS="$JVMFLAGS -Xss1m"\n');
    assert.equal(ignoredSettings({ operands: [world.at('own/zoo.cfg')] }, env), [
      'zkserver: ZOOMAIN: ignored: this server has no JVM',
      'zkserver: -Xmx1g: ignored: this server has no JVM',
      'zkserver: -Xss1m: ignored: this server has no JVM',
      `zkserver: ${world.at('own/java.env')}:1: ignored: only assignments count; set its variables in the environment, or use -D`,
    ]);
    assert.equal(ignoredSettings({ operands: ['2181', world.at('own')] }, {}), []);
  });
});

test.run();
