import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatServerAddress } from '../../../src/client/base/connect-string.js';
import type { AskWord } from '../../../src/commands/ensemble/ask.js';
import type { OpsResult } from '../../../src/commands/ensemble/verdict/result.js';
import type { ShowOptions } from '../../../src/commands/results/pairs.js';
import { main } from '../../../src/commands/zkops/cli.js';
import { makeTempDir } from '../../support/machine/temp-dir.js';
import { srvrText } from './members-of.js';

interface Call {
  readonly exitCode: number;
  readonly out: string;
  readonly error: string;
  readonly asked: readonly string[];
  readonly show: ShowOptions | undefined;
  readonly result: OpsResult | undefined;
}

/** One call of zkops with fake members, by port. */
async function call(
  args: readonly string[],
  modes: Readonly<Record<number, string>> = {},
  env: Readonly<Record<string, string>> = {},
): Promise<Call> {
  let out = '';
  let error = '';
  let show: ShowOptions | undefined;
  let result: OpsResult | undefined;
  const asked: string[] = [];
  const ask: AskWord = (address, word) => {
    asked.push(`${formatServerAddress(address)} ${word}`);
    const mode = modes[address.port];
    return mode === undefined
      ? Promise.reject(Object.assign(new Error('no'), { reason: 'refused' }))
      : Promise.resolve(Buffer.from(srvrText(mode)));
  };
  const exitCode = await main(args, {
    ask,
    env,
    now: () => new Date(0),
    terminal: { width: 80, isColor: false },
    writeOut: (text) => {
      out += text;
    },
    writeError: (text) => {
      error += text;
    },
    render: (found, options) => {
      result = found;
      show = options;
      return `${found.verdict.level}\n`;
    },
  });
  return { exitCode, out, error, asked, show, result };
}

test('the exit code is the verdict', async () => {
  const ensemble = { 1: 'leader', 2: 'follower', 3: 'follower' };
  const servers = ['--servers', 'a:1,a:2,a:3'];
  assert.is((await call(['srvr', ...servers], ensemble)).exitCode, 0);
  assert.is((await call(['srvr', ...servers], { 1: 'leader', 2: 'follower' })).exitCode, 1);
  assert.is((await call(['srvr', ...servers], { 1: 'leader' })).exitCode, 2);
  assert.is((await call(['srvr', '--servers', 'a:2'], ensemble)).exitCode, 3);
});

test('members come from a list, a connect string, a hosts file, or a zoo.cfg', async () => {
  const folder = makeTempDir('zkops');
  try {
    const hosts = join(folder.path, 'hosts.txt');
    const config = join(folder.path, 'zoo.cfg');
    writeFileSync(hosts, '# all\nzk1\nzk2:2182\n');
    writeFileSync(config, 'dynamicConfigFile=zoo.dyn\nclientPort=2181\n');
    writeFileSync(join(folder.path, 'zoo.dyn'), 'server.1=zk9:2888:3888;2199\n');
    // Of several members, conf shows whether the ensemble has groups.
    const askedBy = async (...args: string[]) =>
      (await call(['srvr', ...args])).asked.filter((asked) => !asked.endsWith(' conf'));
    assert.equal(await askedBy('--servers', 'zk1, [::1]:5'), ['zk1:2181 srvr', '[::1]:5 srvr']);
    assert.equal(await askedBy('--connect', 'zk1,zk2:7/chroot'), ['zk1:2181 srvr', 'zk2:7 srvr']);
    assert.equal(await askedBy('--ensemble', hosts), ['zk1:2181 srvr', 'zk2:2182 srvr']);
    assert.equal(await askedBy('--config', config), ['zk9:2199 srvr']);
    assert.equal(await askedBy(), ['127.0.0.1:2181 srvr']);
  } finally {
    folder.remove();
  }
});

test('a bad hosts file gives exit code 65 and names every bad line, without a query', async () => {
  const folder = makeTempDir('zkops');
  try {
    const hosts = join(folder.path, 'hosts.txt');
    writeFileSync(hosts, 'zk1\nzk2:port\nzk1\n');
    const bad = await call(['srvr', '--ensemble', hosts]);
    assert.is(bad.exitCode, 65);
    assert.equal(bad.asked, []);
    assert.is(bad.out, '');
    assert.is(
      bad.error,
      `${hosts}:2: server: invalid address: "zk2:port" (expected host[:port])\n` +
        `${hosts}:3: zk1:2181: listed twice, first on line 1\n`,
    );
    writeFileSync(hosts, '# nobody\n');
    assert.is((await call(['srvr', '--ensemble', hosts])).exitCode, 65);
    const missing = await call(['srvr', '--ensemble', join(folder.path, 'none')]);
    assert.is(missing.exitCode, 65);
    assert.ok(missing.error.includes('ENOENT'));
    writeFileSync(hosts, 'server.1=zk1\n');
    assert.is((await call(['srvr', '--config', hosts])).exitCode, 65);
  } finally {
    folder.remove();
  }
});

const USAGE: readonly (readonly [says: string, ...args: string[]])[] = [
  ['unknown command', 'nosuch'],
  ['unknown option', 'srvr', '--nosuch'],
  ['unknown option: --json\n  did you mean -o json?', 'srvr', '--json'],
  ['expected a number and ms, s,', 'srvr', '--timeout', '1y'],
  ['--deadline: out of range: 0 (expected 1ms to 10d)', 'srvr', '--deadline', '0'],
  ['--output: invalid value: "xml" (expected table,', 'srvr', '-o', 'xml'],
  ['cannot combine these options', 'srvr', '--servers', 'a', '--connect', 'b'],
  ['lists a:2181 twice', 'srvr', '--servers', 'a,A:2181'],
  ['invalid address: ""', 'srvr', '--servers', ','],
  ['add --yes', 'srst', '--servers', 'a'],
  ['add --yes', 'crst', '--servers', 'a'],
  ['add --yes', 'stmk', '306', '--servers', 'a'],
  ['invalid number: "x" (expected a 64-bit integer)', 'stmk', 'x', '--yes'],
  ['unexpected argument', 'srvr', 'zk1'],
  ['name the servers by an option: --servers', 'srvr', 'zk1'],
  ['name the servers by an option: --servers', 'ready', 'zk1'],
  ['--for: needs --state FILE', 'health', '--for', '3'],
  ['--for: out of range: 0 (expected 1 to', 'health', '--state', 'x', '--for', '0'],
  ['unknown limit:', 'check', '--warn', 'nosuch=1'],
  ['--fail-on: invalid value: "sometimes" (expected warn,', 'health', '--fail-on', 'sometimes'],
  ['missing argument: mask', 'stmk', '--yes'],
];
for (const [says, ...args] of USAGE) {
  test(`zkops ${args.join(' ')} is a usage error`, async () => {
    const result = await call(args);
    assert.is(result.exitCode, 64);
    assert.ok(result.error.startsWith('zkops: '), result.error);
    assert.ok(result.error.includes(says), result.error);
    assert.equal(result.asked, []);
    assert.is(result.out, '');
  });
}

test('durations have units, and a line of JSON is ndjson', async () => {
  const { show } = await call(['srvr', '--timeout', '2s', '-o', 'ndjson']);
  assert.is(show?.output, 'ndjson');
});

test('help and version print to stdout and exit with 0; a call without arguments is a usage error', async () => {
  const help = await call(['--help']);
  assert.is(help.exitCode, 0);
  assert.match(help.out, /^Examples\n {2}zkops health --ensemble hosts.txt$/m);
  for (const { out } of [help, await call(['snap', '--help']), await call(['snap', 'top', '-h'])]) {
    assert.is(out.split('Exit status\n  0    healthy').length, 2, out);
  }
  const verbHelp = await call(['mntr', '--help']);
  assert.is(verbHelp.exitCode, 0);
  assert.ok(verbHelp.out.includes('--keys GLOB'));
  for (const args of [
    ['mntr', '--help'],
    ['snap', 'verify', '--help'],
    ['help', 'latency'],
  ]) {
    const { out, exitCode } = await call(args);
    assert.is(exitCode, 0);
    assert.match(
      out,
      /-o, --output FORMAT[\s\S]*64 {3}invalid command line\n +65 {3}invalid hosts file or zoo.cfg\n +130 {2}interrupted/,
    );
  }
  const version = await call(['--version']);
  assert.is(version.exitCode, 0);
  assert.match(version.out, /^zkops \d+\.\d+\.\d+\n$/);
  const bare = await call([]);
  assert.is(bare.exitCode, 64);
  assert.is(bare.out, '');
});

test('options reach the run and the output', async () => {
  const { show, result } = await call(
    ['mntr', '--servers', 'a:1', '-o', 'json', '--all', '--keys', 'zk_*latency', '-q'],
    { 1: 'standalone' },
  );
  assert.ok(show);
  const { keys, ...others } = show;
  assert.equal(others, { output: 'json', isAll: true, isQuiet: true });
  assert.ok(keys?.test('avg_latency') && !keys.test('latency_sum'));
  assert.is(result?.time, '1970-01-01T00:00:00.000Z');
  const wrong = await call(['mntr', '--servers', 'a:1', '--keys', '[z-a]']);
  assert.is(wrong.exitCode, 64);
  assert.match(wrong.error, /invalid pattern: "\[z-a\]"/);
  const plain = await call(['srvr', '--servers', 'a:1'], { 1: 'standalone' });
  assert.equal(plain.show, { output: 'table', isAll: false, keys: undefined, isQuiet: false });
});

test('variables are defaults of options, and a list of members replaces another', async () => {
  const one = await call(
    ['srvr'],
    { 1: 'standalone' },
    { ZKOPS_SERVERS: 'a:1', ZKOPS_OUTPUT: 'ndjson' },
  );
  assert.equal(one.asked, ['a:1 srvr']);
  assert.is(one.show?.output, 'ndjson');
  const other = await call(['srvr', '--connect', 'b:1'], {}, { ZKOPS_SERVERS: 'a:1' });
  assert.ok(other.asked.every((asked) => asked.startsWith('b:1')));
  const quiet = await call(['srvr', '--servers', 'a:1'], {}, { ZKOPS_QUIET: '1', ZKOPS_ALL: '0' });
  assert.equal([quiet.show?.isQuiet, quiet.show?.isAll], [true, false]);
  for (const [env, says] of [
    [
      { ZKOPS_TIMEOUT: 'soon' },
      /^zkops: ZKOPS_TIMEOUT: invalid duration: "soon" \(expected a number and ms/,
    ],
    [
      { ZKOPS_QUIET: 'maybe' },
      /^zkops: ZKOPS_QUIET: invalid value: "\S+" \(expected 1, 0, true, or false\)/,
    ],
    [{ ZKOPS_OUTPUT: 'xml' }, /^zkops: ZKOPS_OUTPUT: invalid value: "[^"]*" \(expected table/],
  ] as const) {
    const bad = await call(['srvr'], {}, env);
    assert.is(bad.exitCode, 64);
    assert.match(bad.error, says);
  }
});

test('a profile of zksh names the members, unless the command line does', async () => {
  const folder = makeTempDir('zkops-profile');
  try {
    const file = join(folder.path, 'config.json');
    writeFileSync(file, '{"profiles": {"prod": {"connect": "p:1/app", "timeout": 5}}}');
    const env = { ZKSH_CONFIG: file, ZKOPS_SERVERS: 'a:1' };
    assert.is((await call(['srvr', '-P', 'prod'], {}, env)).asked[0], 'p:1 srvr');
    const typed = await call(['srvr', '-P', 'prod', '--servers', 'b:1'], {}, env);
    assert.is(typed.asked[0], 'b:1 srvr');
    const unknown = await call(['srvr', '-P', 'prd'], {}, env);
    assert.is(unknown.exitCode, 64);
    assert.match(unknown.error, /unknown profile: "prd"\n {2}did you mean prod\?\n$/);
  } finally {
    folder.remove();
  }
});

test.run();
