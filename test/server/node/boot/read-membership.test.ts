import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { configFromOptions } from '../../../../src/server/config/config.js';
import { ExitCode, ServerError } from '../../../../src/server/main.js';
import {
  type MemberIdentity,
  readMembership,
} from '../../../../src/server/node/boot/read-membership.js';
import { startServer } from '../../../../src/server/node/boot/start-server.js';
import { freePort } from '../../../support/machine/free-port.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';

const LINES = {
  'server.1': 'a:1:2',
  'server.2': 'b:1:2;127.0.0.1:2182',
  'server.3': 'c:1:2:observer',
};

interface Case {
  readonly lines?: Readonly<Record<string, string>>;
  readonly options?: Readonly<Record<string, string>>;
  /** Null writes none. */
  readonly myid: string | null;
  /** Text and name of the dynamic file, which replaces the lines. */
  readonly dynamic?: readonly [name: string, text: string];
  /** Text of the file of a proposed membership. */
  readonly next?: string;
}

async function read({
  lines = LINES,
  options,
  myid,
  dynamic,
  next,
}: Case): Promise<MemberIdentity | null> {
  const home = makeTempDir('membership');
  try {
    const dataDir = join(home.path, 'data');
    mkdirSync(dataDir);
    if (myid !== null) writeFileSync(join(dataDir, 'myid'), myid);
    if (dynamic !== undefined) writeFileSync(join(home.path, dynamic[0]), dynamic[1]);
    const configFile = next === undefined ? 'zoo.cfg' : join(home.path, 'zoo.cfg');
    if (next !== undefined) writeFileSync(`${configFile}.dynamic.next`, next);
    const places =
      dynamic === undefined ? lines : { dynamicConfigFile: join(home.path, dynamic[0]) };
    const limits = { initLimit: '10', syncLimit: '5' };
    const result = configFromOptions({ dataDir, ...limits, ...places, ...options });
    if (!('config' in result)) throw new Error(result.errors[0]?.text);
    return await readMembership(result.config, dataDir, configFile).catch((error: Error) => {
      error.message = error.message.replaceAll(home.path, 'HOME');
      throw error;
    });
  } finally {
    home.remove();
  }
}

test('myid selects the server', async () => {
  for (const myid of ['2', '2\n', ' 2 \r\nwhatever']) {
    const membership = await read({ myid });
    assert.is(membership?.sid, 2);
    assert.is(membership?.own.client?.port, 2182);
    assert.equal([...(membership?.quorumConfig.members.keys() ?? [])], [1, 2, 3]);
    assert.is(membership?.quorumConfig.version, 0n);
  }
});

test('a member of an ensemble needs a disk', async () => {
  const result = configFromOptions({ ...LINES, initLimit: '1', syncLimit: '1' });
  if (!('config' in result)) throw new Error(result.errors[0]?.text);
  const refusal = await readMembership(result.config, null, 'config').catch(String);
  assert.match(
    `${refusal}`,
    /config: dataDir: missing \(expected a folder: a member of an ensemble/,
  );
});

test('the dynamic file has the lines, and its name their version', async () => {
  const text = 'server.7=a:1:2:participant;2181\nserver.8=b:1:2\n';
  for (const [name, version] of [
    ['zoo.cfg.dynamic', 0n],
    ['zoo.cfg.dynamic.10000001a', 0x1_0000_001an],
  ] as const) {
    const membership = await read({ myid: '7', dynamic: [name, text] });
    assert.is(membership?.quorumConfig.version, version);
    assert.is(membership?.own.client?.port, 2181);
  }
});

test('a proposed membership is read if zoo.cfg names a dynamic file', async () => {
  const next = 'server.1=a:1:2\nserver.7=b:1:2\nversion=20000000a';
  const dynamic = ['zoo.cfg.dynamic.100000001', 'server.1=a:1:2\nserver.2=b:1:2\n'] as const;
  const { nextConfig } = (await read({ myid: '1', dynamic, next })) ?? {};
  assert.is(nextConfig?.version, 0x2_0000_000an);
  assert.equal([...(nextConfig?.members.keys() ?? [])], [1, 7]);
  assert.is((await read({ myid: '1', dynamic }))?.nextConfig, null);
  assert.is((await read({ myid: '1', next }))?.nextConfig, null);
});

test('a single participant is standalone, unless standaloneEnabled=false', async () => {
  const one = { 'server.1': 'a:1:2' };
  assert.is(await read({ lines: one, myid: null }), null);
  const dynamic = ['dynamic', 'server.1=a:1:2\n'] as const;
  assert.is(await read({ myid: null, dynamic }), null);
  const options = { standaloneEnabled: 'false' };
  assert.is((await read({ lines: one, options, myid: '1' }))?.sid, 1);
  assert.is((await read({ options, myid: '1', dynamic }))?.sid, 1);
});

test('an id above 255 is one, as in Apache, unless znodes have TTLs', async () => {
  const lines = { 'server.256': 'a:1:2', 'server.70000': 'b:1:2', 'server.3': 'c:1:2' };
  assert.is((await read({ lines, myid: '256' }))?.sid, 256);
  assert.is((await read({ lines, myid: '70000' }))?.sid, 70_000);
});

test('a client address may be a name of the address in the line', async () => {
  const lines = {
    'server.1': 'a:1:2;127.0.0.1:2181',
    'server.2': 'b:1:2;2181',
    'server.3': 'c:1:2;2181',
  };
  for (const clientPortAddress of ['localhost', '127.0.0.1']) {
    const options = { clientPort: '2181', clientPortAddress };
    assert.is((await read({ lines, options, myid: '1' }))?.sid, 1, clientPortAddress);
  }
});

test('the line of a standalone participant gives its client address', async () => {
  const port = await freePort();
  const home = makeTempDir('alone');
  const config = { 'server.1': `127.0.0.1:1:2;127.0.0.1:${port}` };
  const server = await startServer({ dataDir: home.path, config });
  try {
    assert.is(server.port, port);
    assert.is(server.mode, 'standalone');
  } finally {
    await server.close();
    home.remove();
  }
});

const refused: [name: string, what: Case, message: RegExp][] = [
  ['no myid', { myid: null }, /^HOME\/data\/myid: expected .* one of 1, 2, 3, but it is missing$/],
  ['an empty myid', { myid: '' }, /myid: invalid id: "" \(expected .* from 0 to 999999999\)$/],
  ['a myid that is not a number', { myid: 'two\n' }, /myid: invalid id: "two" \(expected .*\)$/],
  [
    'a myid above the maximum',
    { myid: '1000000000' },
    /myid: invalid id: "1000000000" \(expected .* from 0 to 999999999\)$/,
  ],
  [
    'a myid that marks TTLs',
    { myid: '255', options: { extendedTypesEnabled: 'true' } },
    /invalid id: "255" \(expected a number from 0 to 254\)/,
  ],
  [
    'a damaged file of a proposed membership',
    { myid: '7', dynamic: ['dynamic', 'server.7=a:1:2\nserver.8=b:1:2'], next: 'server.7=a:1\n' },
    /^HOME\/zoo.cfg.dynamic.next:1: invalid server: .* \(expected host:port:port/,
  ],
  [
    'two addresses in the dynamic file',
    { myid: '7', dynamic: ['dynamic', 'server.7=a:1:2|b:1:2\nserver.8=b:1:2'] },
    /^HOME\/dynamic: server.7 has 2 addresses \(expected one, or multiAddress.enabled=true\)$/,
  ],
  [
    'one participant with an observer in the dynamic file',
    { myid: '7', dynamic: ['dynamic', 'server.7=a:1:2\nserver.8=b:1:2:observer'] },
    /^HOME\/dynamic: one participant with observers \(expected more participants/,
  ],
  [
    'a stranger',
    { myid: '4' },
    /^HOME\/data\/myid: zoo.cfg has no line server.4 \(expected one of 1, 2, 3\)$/,
  ],
  [
    'a removed member',
    { myid: '4', dynamic: ['dynamic', 'server.1=a:1:2\nserver.2=b:1:2'] },
    /^HOME\/data\/myid: HOME\/dynamic has no line server.4 .*\. If a reconfig removed this server, /,
  ],
  [
    'two client ports',
    { myid: '2', options: { clientPort: '2181' } },
    /^zoo.cfg: clientPort: 2181 differs from 2182 in the line of server 2/,
  ],
  [
    'two TLS ports',
    {
      myid: '7',
      dynamic: ['dynamic', 'server.7=a:1:2;;2281\nserver.8=b:1:2'],
      options: { secureClientPort: '2282' },
    },
    /^zoo.cfg: secureClientPort: 2282 differs from 2281 in the line of server 7/,
  ],
  [
    'a damaged dynamic file',
    { myid: '1', dynamic: ['dynamic', 'server.1=a:1:2\nserver.2=b\n'] },
    /^HOME\/dynamic:2: invalid server: .* \(expected host:port:port/,
  ],
  [
    'a version inside the dynamic file',
    { myid: '1', dynamic: ['dynamic', 'server.1=a:1:2\nversion=5\n'] },
    /^HOME\/dynamic: the version is in the text \(expected in the name of the file\)/,
  ],
  [
    'a missing dynamic file',
    { myid: '1', options: { dynamicConfigFile: '/nowhere/dynamic' }, lines: {} },
    /^zoo.cfg: dynamicConfigFile: \/nowhere\/dynamic: cannot read/,
  ],
  [
    'groups with an oracle',
    { myid: '1', lines: { ...LINES, 'group.1': '1:2' }, options: { oraclePath: '/mnt/oracle' } },
    /^zoo.cfg: oraclePath: cannot decide between groups of servers/,
  ],
  [
    'a group without a member',
    { myid: '1', lines: { ...LINES, 'group.1': '1:9', 'weight.1': '1' } },
    /^zoo.cfg: group.1: unknown server 9/,
  ],
];

for (const [name, what, message] of refused) {
  test(`refused, with the file and exit code 2: ${name}`, async () => {
    const refusal = await read(what).then(
      () => undefined,
      (error: unknown) => error,
    );
    assert.ok(refusal instanceof ServerError, `${refusal}`);
    assert.is(refusal.exitCode, ExitCode.USAGE);
    assert.match(refusal.message, message);
  });
}

test.run();
