import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  decodeProperties,
  parseProperties,
} from '../../../../src/server/config/java-properties.js';
import { ConfigKeeper } from '../../../../src/server/node/boot/config-file.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';

const STATIC = `# of the house
tickTime=2000
dataDir=/data
clientPort=2181
peerType=participant
server.1=a:2888:3888
 server.2 = b:2888:\\
   3888
server.3=c:2888:3888
group.1=1:2:3
reconfigEnabled=true
`;
const NEXT =
  'server.3=c:2888:3888:participant\nserver.1=a:2888:3888:participant\nversion=10000002a';

interface World {
  readonly file: string;
  readonly dynamic: (version: string) => string;
  readonly warnings: string[];
  keep(...texts: string[]): Promise<void>;
}

async function within(text: string, body: (world: World) => Promise<void>): Promise<void> {
  const { path, remove } = makeTempDir('config');
  try {
    const file = join(path, 'zoo.cfg');
    const warnings: string[] = [];
    writeFileSync(file, text);
    await body({
      file,
      dynamic: (version) => `${file}.dynamic.${version}`,
      warnings,
      keep: async (...texts) => {
        const onWarning = (message: string) => warnings.push(message);
        const keeper = new ConfigKeeper({ file, sid: 1, onWarning });
        for (const next of texts) keeper.keep(next, true);
        await keeper.close();
      },
    });
  } finally {
    remove();
  }
}

test('the lines move to a file named by their version, and the rest of zoo.cfg stays', () =>
  within(STATIC, async ({ file, dynamic, keep, warnings }) => {
    await keep(NEXT);
    assert.is(
      readFileSync(dynamic('10000002a'), 'utf8'),
      'server.1=a:2888:3888:participant\nserver.3=c:2888:3888:participant',
    );
    assert.is(
      readFileSync(file, 'utf8'),
      `# of the house\ntickTime=2000\ndataDir=/data\nclientPort=2181\nreconfigEnabled=true\ndynamicConfigFile=${dynamic('10000002a')}\n`,
    );
    assert.is(readFileSync(`${file}.bak`, 'utf8'), STATIC);
    assert.equal(warnings, []);
  }));

test('the client port in the line of this server replaces the one in zoo.cfg', () =>
  within('clientPort=2181\nclientPortAddress=a\nsecureClientPort=2281\n', async (world) => {
    await world.keep('server.1=a:1:2:participant;0.0.0.0:2182\nserver.2=b:1:2\nversion=5');
    const dynamicConfigFile = `dynamicConfigFile=${world.dynamic('5')}\n`;
    assert.is(readFileSync(world.file, 'utf8'), `secureClientPort=2281\n${dynamicConfigFile}`);
  }));

test('the TLS port in the line of this server replaces the one in zoo.cfg', () =>
  within('clientPort=2181\nsecureClientPortAddress=a\nsecureClientPort=2281\n', async (world) => {
    await world.keep('server.1=a:1:2:participant;;0.0.0.0:2282\nserver.2=b:1:2\nversion=5');
    const dynamicConfigFile = `dynamicConfigFile=${world.dynamic('5')}\n`;
    assert.is(readFileSync(world.file, 'utf8'), `clientPort=2181\n${dynamicConfigFile}`);
  }));

test('a host name beyond ASCII is read back as it was', () =>
  within(STATIC, async ({ dynamic, keep }) => {
    const lines = ['server.1=zo\u00f6:1:2', 'server.2=zo\u0144:1:2'];
    await keep([...lines, 'version=5'].join('\n'));
    const { properties } = parseProperties(decodeProperties(readFileSync(dynamic('5'))));
    assert.equal(
      properties.map(({ key, value }) => `${key}=${value}`),
      lines,
    );
  }));

test('zoo.cfg names the newest of several files', () =>
  within('dynamicConfigFile=/old\n', async ({ file, dynamic, keep }) => {
    await keep(NEXT, 'server.1=a:1:2\nversion=10000002b');
    assert.is(readFileSync(file, 'utf8'), `dynamicConfigFile=${dynamic('10000002b')}\n`);
    assert.is(readFileSync(dynamic('10000002b'), 'utf8'), 'server.1=a:1:2');
    assert.not.ok(existsSync(`${file}.bak`));
    assert.equal(
      readdirSync(join(file, '..')).filter((name) => name.endsWith('.tmp')),
      [],
    );
  }));

test('a zoo.cfg that cannot be changed gives one sentence with a remedy', () =>
  within(STATIC, async ({ file, warnings }) => {
    const onWarning = (message: string) => warnings.push(message);
    const keeper = new ConfigKeeper({ file: join(file, 'below'), sid: 1, onWarning });
    keeper.keep(NEXT, true);
    await keeper.close();
    assert.is(warnings.length, 1);
    assert.match(
      warnings[0] ?? '',
      /cannot write the new membership of the ensemble .*: correct it before/,
    );
  }));

test('a proposed membership is beside zoo.cfg until one as new is in force', () =>
  within(STATIC, async ({ file, warnings }) => {
    const onWarning = (message: string) => warnings.push(message);
    const keeper = new ConfigKeeper({ file, sid: 1, onWarning });
    const nextFile = `${file}.dynamic.next`;
    await keeper.keepNext(NEXT);
    assert.is(
      readFileSync(nextFile, 'utf8'),
      'server.1=a:2888:3888:participant\nserver.3=c:2888:3888:participant\nversion=10000002a',
    );
    assert.is(readFileSync(file, 'utf8'), STATIC);
    keeper.keep('server.1=a:1:2\nversion=100000001', false);
    await keeper.close();
    assert.ok(existsSync(nextFile));
    keeper.keep(NEXT, true);
    await keeper.close();
    assert.not.ok(existsSync(nextFile));
    await keeper.keepNext(null);
    await keeper.keepNext(NEXT);
    await keeper.keepNext(null);
    assert.not.ok(existsSync(nextFile));
    assert.equal(warnings, []);
  }));

test('the files keep the permissions of zoo.cfg, and a symbolic link remains a link', () =>
  within(STATIC, async ({ file, dynamic, keep, warnings }) => {
    const target = `${file}.target`;
    renameSync(file, target);
    chmodSync(target, 0o600);
    symlinkSync(target, file);
    await keep(NEXT);
    assert.equal(warnings, []);
    assert.ok(lstatSync(file).isSymbolicLink());
    assert.match(readFileSync(target, 'utf8'), 'dynamicConfigFile=');
    const written = [target, `${file}.bak`, dynamic('10000002a')];
    for (const path of written) assert.is(statSync(path).mode & 0o777, 0o600, path);
    chmodSync(target, 0o664);
    await keep(NEXT.replace('10000002a', '10000002b'));
    assert.is(statSync(target).mode & 0o777, 0o664);
  }));

test.run();
