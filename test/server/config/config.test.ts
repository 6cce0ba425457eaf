import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type Config,
  type ConfigResult,
  configFromOptions,
} from '../../../src/server/config/config.js';
import { OPTION_SECTIONS, OPTIONS } from '../../../src/server/config/config-keys.js';
import { parseConfig } from '../../../src/server/config/parse-config.js';

const BASE = 'dataDir=/var/zk\nclientPort=2181\n';
const PROVIDER = 'org.apache.zookeeper.server.auth.SASLAuthenticationProvider';

function parse(text: string, properties: Record<string, string> = {}): ConfigResult {
  return parseConfig(text, { fileName: 'zoo.cfg', properties });
}

function configOf(result: ConfigResult): Config {
  if ('errors' in result) throw new Error(result.errors.map(({ text }) => text).join('\n'));
  return result.config;
}

function errorsOf(result: ConfigResult): string[] {
  return 'errors' in result ? result.errors.map(({ text }) => text) : [];
}

function warningsOf(result: ConfigResult): string[] {
  return 'errors' in result ? errorsOf(result) : result.warnings.map(({ text }) => text);
}

test('the defaults are those of Apache', () => {
  const result = parse(BASE);
  const config = configOf(result);
  assert.equal(warningsOf(result), []);
  assert.is(config.dataLogDir, '/var/zk');
  assert.is(config.tickTimeMs, 3000);
  assert.is(config.minSessionTimeoutMs, 6000);
  assert.is(config.maxSessionTimeoutMs, 60_000);
  assert.is(config.maxClientCnxns, 60);
  assert.is(config.snapCount, 100_000);
  assert.is(config.preAllocSizeKb, 65_536);
  assert.is(config.juteMaxBuffer, 1_048_575);
  assert.is(config.juteMaxBufferExtraSize, 1_048_575);
  assert.is(config.forceSync, true);
  assert.is(config.fourLetterWordWhitelist, 'srvr');
  assert.is(config.isReplicated, false);
});

test('a sample file, in every form that the syntax of Java properties has', () => {
  const config = configOf(
    parse(`# The number of milliseconds of each tick
! another comment
tickTime=2000
  dataDir : /var/lib/zoo\\
      keeper
dataLogDir /var/log/zk\\u0021
clientPort\t=\t2181
maxClientCnxns = 0\r
4lw.commands.whitelist=mntr,\\
  srvr, \\
  ruok
autopurge.purgeInterval=1`),
  );
  assert.is(config.tickTimeMs, 2000);
  assert.is(config.dataDir, '/var/lib/zookeeper');
  assert.is(config.dataLogDir, '/var/log/zk!');
  assert.is(config.clientPort, 2181);
  assert.is(config.maxClientCnxns, 0);
  assert.is(config.fourLetterWordWhitelist, 'mntr,srvr, ruok');
  assert.is(config.autopurgePurgeIntervalHours, 1);
  assert.is(config.maxSessionTimeoutMs, 40_000);
});

for (const [line, message] of [
  ['tickTime=2s', 'tickTime: invalid: "2s" (expected an integer from 1 to 2147483647)'],
  ['tickTime=0', 'tickTime: invalid: "0" (expected an integer from 1 to 2147483647)'],
  ['tickTime=', 'tickTime: invalid: "" (expected an integer from 1 to 2147483647)'],
  ['tickTime=99999999999', /^tickTime: invalid: "99999999999" \(expected an integer/],
  ['clientPort=65536', 'clientPort: invalid: "65536" (expected a port from 0 to 65535)'],
  ['secureClientPort=tls', 'secureClientPort: invalid: "tls" (expected a port from 0 to 65535)'],
  ['localSessionsEnabled=yes', 'localSessionsEnabled: invalid: "yes" (expected true or false)'],
  ['peerType=voter', 'peerType: invalid: "voter" (expected participant or observer)'],
  ['electionAlg=1', 'electionAlg: invalid: 1 (expected 3)'],
  ['secureClientPortAddress=::1', 'secureClientPortAddress: set without secureClientPort'],
  ['maxSessionTimeout=10', 'minSessionTimeout: 6000 ms is more than maxSessionTimeout (10 ms)'],
  ['key=\\u12', 'syntax: expected four hex digits after \\u'],
  ['server.x=a:1:2', 'server.x: invalid id: "x" (expected an integer after "server.")'],
  ['server.1=a:1', /^server\.1: invalid server: "a:1" \(expected host:port:port/],
  ['server.1=a:1:2:voter', 'server.1: invalid role: "voter" (expected participant or observer)'],
  ['server.1=a:1:2;x', 'server.1: invalid client address: "x" (expected [address:]port after ";")'],
  ['group.1=1,2', 'group.1: invalid group: "1,2" (expected server ids separated by ":")'],
  ['weight.1=heavy', 'weight.1: invalid weight: "heavy" (expected 0 or more)'],
] as const) {
  test(`refused: ${line}`, () => {
    const errors = errorsOf(parse(`${BASE}${line}\n`));
    assert.is(errors.length, 1, errors.join('\n'));
    const [place, rest] = [errors[0]?.slice(0, 8), errors[0]?.replace(/^zoo\.cfg(:\d+)?: /, '')];
    assert.is(place, 'zoo.cfg:');
    if (typeof message === 'string') assert.is(rest, message);
    else assert.match(rest ?? '', message);
  });
}

test('all errors are reported in the order of the file, with file and line', () => {
  assert.equal(errorsOf(parse('# 1\ntickTime=x\n\nclientPort=y\n')), [
    'zoo.cfg:2: tickTime: invalid: "x" (expected an integer from 1 to 2147483647)',
    'zoo.cfg:4: clientPort: invalid: "y" (expected a port from 0 to 65535)',
    'zoo.cfg: dataDir: not set (expected a folder)',
  ]);
});

test('a server needs a folder and a port', () => {
  assert.equal(errorsOf(parse('')), [
    'zoo.cfg: dataDir: not set (expected a folder)',
    'zoo.cfg: clientPort: not set (expected clientPort or secureClientPort)',
  ]);
  assert.is(configOf(parse('dataDir=/d\nsecureClientPort=2281')).clientPort, null);
});

/** The source files of the server that could read an option, without the declarations. */
const SOURCES = readdirSync('src/server', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !/(?:^|\/)config-(?:keys|option)/.test(name))
  .map((name) => ({ name, text: readFileSync(`src/server/${name}`, 'utf8') }));

function readersOf(pattern: RegExp): string[] {
  return SOURCES.filter(({ text }) => pattern.test(text)).map(({ name }) => name);
}

test('the server reads exactly the supported options', () => {
  for (const [name, { status }] of Object.entries(OPTIONS)) {
    if (status === 'supported' || status === 'ensemble only') {
      assert.ok(readersOf(new RegExp(`\\b${name}\\b`)).length > 0, `nothing reads ${name}`);
    } else {
      const readers = readersOf(new RegExp(`\\bconfig\\.${name}\\b`));
      assert.equal(readers, [], `${name} is read, but its status is "${status}"`);
    }
  }
});

test('an option without effect has a reason', () => {
  for (const { key, status, why } of Object.values(OPTIONS)) {
    assert.is(why === '', status === 'supported' || status === 'ensemble only', key);
  }
});

test('setting an option without effect to a value other than its default is a warning', () => {
  for (const option of Object.values(OPTIONS)) {
    if (option.status !== 'no effect') continue;
    const isOn = option.default === true;
    const other = [isOn ? 'false' : 'true', '77', 'no', 'text', 'PEM', 'none'].find((text) => {
      const value = option.parse(text);
      return value !== undefined && value !== option.default;
    });
    const fromDefault = parse(BASE, { [option.property]: String(option.default) });
    if (option.default !== null) assert.equal(warningsOf(fromDefault), [], option.key);
    const warnings = warningsOf(parse(BASE, { [option.property]: other ?? '' }));
    assert.is(warnings.length, 1, `${option.key}: ${warnings.join()}`);
    assert.ok(warnings[0]?.endsWith(`: ${option.why}`), warnings[0]);
  }
});

test('limits of an ensemble are not a warning for a standalone server', () => {
  assert.equal(warningsOf(parse(`${BASE}initLimit=10\nsyncLimit=5\n`)), []);
});

for (const [line, warning] of [
  [
    'snapCount=many',
    /snapCount: invalid: "many" \(expected an integer .*\); using the default 100000$/,
  ],
  ['forceSync=maybe', /forceSync: invalid: "maybe" \(expected yes or no\); using the default yes$/],
  ['ticktime=2000', /ticktime: unknown key, .* zookeeper\.ticktime; did you mean tickTime\?$/],
  ['fancy.new.option=1', /fancy\.new\.option: unknown key, .* zookeeper\.fancy\.new\.option$/],
  ['jute.maxbuffer=5', /jute\.maxbuffer: ignored in a file, .* use -D jute\.maxbuffer$/],
  ['readonlymode.enabled=true', /use -D readonlymode\.enabled$/],
  ['autopurge.snapRetainCount=1', /1 is too small; using 3$/],
  ['dataDir=/other', /^zoo\.cfg:3: dataDir: duplicate of line 1; this line counts$/],
  ['server.1=a:1:2', /a single server runs standalone; only its client address counts$/],
] as const) {
  test(`ignored with a warning: ${line}`, () => {
    const result = parse(`${BASE}${line}\n`);
    const warnings = warningsOf(result);
    assert.is(warnings.length, 1, warnings.join('\n'));
    assert.match(warnings[0] ?? '', /^zoo\.cfg:3: /);
    assert.match(warnings[0] ?? '', warning);
    configOf(result);
  });
}

test('a property is read from the file, too', () => {
  const config = configOf(
    parse(`${BASE}snapCount=0x10\nforceSync=no\nskipACL=yes\nenforceQuota=TRUE`),
  );
  assert.is(config.snapCount, 16);
  assert.is(config.forceSync, false);
  assert.is(config.skipACL, true);
  assert.is(config.enforceQuota, true);
});

test('-D uses the property name and takes precedence over the file', () => {
  const result = parse(`${BASE}snapCount=10\n`, {
    'zookeeper.snapCount': '20',
    'jute.maxbuffer': '0x1000',
    'readonlymode.enabled': 'true',
    'zookeeper.tickTime': '500',
    'zookeeper.authProvider.1': PROVIDER,
  });
  const config = configOf(result);
  assert.equal(warningsOf(result), []);
  assert.is(config.snapCount, 20);
  assert.is(config.juteMaxBuffer, 4096);
  assert.is(config.juteMaxBufferExtraSize, 4096);
  assert.is(config.readonlymodeEnabled, true);
  assert.is(config.tickTimeMs, 500);
  assert.is(config.properties.get('zookeeper.authProvider.1'), PROVIDER);
});

test('a -D that is unused or has a bad value is reported by name', () => {
  const result = parse(BASE, { 'zookeeper.snapCont': '5', 'zookeeper.maxCnxns': 'x' });
  assert.equal(warningsOf(result), [
    '-D zookeeper.snapCont: no option reads this property',
    '-D zookeeper.maxCnxns: invalid: "x" (expected an integer); using the default 0',
  ]);
  assert.equal(errorsOf(parse(BASE, { 'zookeeper.tickTime': 'x' })), [
    '-D zookeeper.tickTime: invalid: "x" (expected an integer from 1 to 2147483647)',
  ]);
});

test('the lines of an ensemble', () => {
  const config = configOf(
    parse(`${BASE}multiAddress.enabled=true
initLimit=10
syncLimit=5
server.1=zoo1:2888:3888
server.2=[::1]:2889:3889:observer;2182
server.3=a:1:2|[fe80::2]:3:4:participant;127.0.0.1:2183
server.4=zoo4:2888:3888
group.1=1:3
weight.3=0`),
  );
  assert.is(config.isReplicated, true);
  assert.is(config.connectToLearnerMasterLimit, 10);
  assert.equal(config.servers.slice(0, 3), [
    {
      sid: 1,
      addresses: [{ host: 'zoo1', quorumPort: 2888, electionPort: 3888 }],
      role: 'participant',
      client: null,
      secureClient: null,
    },
    {
      sid: 2,
      addresses: [{ host: '::1', quorumPort: 2889, electionPort: 3889 }],
      role: 'observer',
      client: { address: null, port: 2182 },
      secureClient: null,
    },
    {
      sid: 3,
      addresses: [
        { host: 'a', quorumPort: 1, electionPort: 2 },
        { host: 'fe80::2', quorumPort: 3, electionPort: 4 },
      ],
      role: 'participant',
      client: { address: '127.0.0.1', port: 2183 },
      secureClient: null,
    },
  ]);
  assert.equal(config.groups.get(1), [1, 3]);
  assert.is(config.weights.get(3), 0);
});

test('an ensemble needs its limits and a participant', () => {
  const two = 'server.1=a:1:2\nserver.2=b:1:2\n';
  assert.equal(errorsOf(parse(`${BASE}${two}`)), [
    'zoo.cfg: initLimit: not set (expected a number of ticks)',
    'zoo.cfg: syncLimit: not set (expected a number of ticks)',
  ]);
  const limits = 'initLimit=10\nsyncLimit=5\n';
  assert.equal(errorsOf(parse(`${BASE}${limits}${two.replaceAll('1:2', '1:2:observer')}`)), [
    'zoo.cfg: server: observers only (expected at least one participant)',
  ]);
  assert.equal(errorsOf(parse(`${BASE}${limits}server.1=a:1:2\nserver.1=b:1:2`)), [
    'zoo.cfg:6: server.1: duplicate server 1',
  ]);
});

test('an embedded server needs neither folder nor port, and takes keys and properties', () => {
  const config = configOf(
    configFromOptions({ tickTime: '100', 'jute.maxbuffer': '4096', 'zookeeper.snapCount': '7' }),
  );
  assert.is(config.dataDir, null);
  assert.is(config.dataLogDir, null);
  assert.is(config.tickTimeMs, 100);
  assert.is(config.juteMaxBuffer, 4096);
  assert.is(config.snapCount, 7);
  assert.equal(errorsOf(configFromOptions({ tickTime: 'x' })), [
    'config: tickTime: invalid: "x" (expected an integer from 1 to 2147483647)',
  ]);
});

test('no two options share a key or a property, and the sections hold each once', () => {
  const options = Object.values(OPTIONS);
  assert.is(new Set(options.map(({ key }) => key)).size, options.length);
  assert.is(new Set(options.map(({ property }) => property)).size, options.length);
  const inSections = Object.values(OPTION_SECTIONS).flatMap((section) => Object.keys(section));
  assert.equal(inSections.sort(), Object.keys(OPTIONS).sort());
});

test('every default is a value that the option takes', () => {
  for (const { key, default: value, parse: read } of Object.values(OPTIONS)) {
    if (value === null || value === 0 || value === '') continue;
    const text = typeof value === 'boolean' && read('true') === undefined ? 'yes' : String(value);
    assert.is(read(value === false && text === 'yes' ? 'no' : text), value, key);
  }
});

test.run();
