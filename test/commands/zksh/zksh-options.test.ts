import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CommandError, ExitCode } from '../../../src/commands/program/command-error.js';
import { EXIT_CODES, zkshHelp } from '../../../src/commands/zksh/zksh-help.js';
import { parseZkshOptions, ZKSH } from '../../../src/commands/zksh/zksh-options.js';

const GOOD: readonly (readonly [argv: string, expected: object])[] = [
  ['', { target: '127.0.0.1:2181', task: 'run', format: 'text', clientKind: 'builtin' }],
  ['zk1,zk2:2182/app', { target: 'zk1,zk2:2182/app' }],
  ['zk1 -c a -c b', { target: 'zk1', commands: ['a', 'b'] }],
  ['-c a zk1', { target: 'zk1', commands: ['a'] }],
  ['-f - zk1', { file: '-' }],
  ['--embedded', { isEmbedded: true, dataDir: undefined }],
  ['--embedded --data-dir d', { isEmbedded: true, dataDir: 'd' }],
  ['--client native', { clientKind: 'native' }],
  ['--timeout 500', { timeoutMs: 500 }],
  ['--timeout=500', { timeoutMs: 500 }],
  ['--readonly -k', { isReadOnly: true, isKeepGoing: true }],
  ['--auth u:p', { auth: [{ scheme: 'digest', auth: 'u:p' }] }],
  [
    '--cacert ca.pem --insecure zks://zk1/a',
    {
      target: 'zks://zk1/a',
      tlsFiles: {
        cacert: 'ca.pem',
        cert: undefined,
        key: undefined,
        servername: undefined,
        insecure: true,
      },
    },
  ],
  ['zks://zk1', { tlsFiles: undefined }],
  ['-o json', { format: 'json' }],
  ['-ondjson', { format: 'ndjson' }],
  ['--help', { task: 'help' }],
  ['-h zk1', { task: 'help' }],
  ['--version', { task: 'version' }],
];

for (const [argv, expected] of GOOD) {
  test(`zksh ${argv}`, () => {
    const options = parseZkshOptions(argv.split(' ').filter(Boolean), {});
    for (const [name, value] of Object.entries(expected)) {
      assert.equal(options[name as keyof typeof options], value, name);
    }
  });
}

const BAD: readonly (readonly [argv: string, sentence: RegExp])[] = [
  ['--bogus', /unknown option: --bogus/],
  ['zk1 ls /', /zksh: 2 unexpected arguments/],
  ['--timeout abc', /MS: invalid number: "abc"/],
  ['--timeout 0', /expected 1 to/],
  ['--timeout', /missing value: MS/],
  ['-o xml', /FORMAT: invalid value: "xml" \(expected text, table, json, ndjson, raw\)/],
  ['--client java', /CLIENT: invalid value: "java" \(expected builtin, native/],
  ['-c a -f b', /either -c or -f/],
  ['--embedded zk1', /starts its own server/],
  ['--data-dir d', /goes with --embedded/],
  ['zk1:port', /expected host\[:port\]/],
  ['zks://', /expected host\[:port\]/],
  ['--cacert ca.pem zk1', /--cacert is for TLS/],
  ['--insecure --embedded', /--insecure is for TLS/],
];

for (const [argv, sentence] of BAD) {
  test(`zksh ${argv} is refused`, () => {
    try {
      parseZkshOptions(argv.split(' '), {});
      assert.unreachable();
    } catch (error) {
      assert.instance(error, CommandError);
      assert.match((error as CommandError).message, sentence);
      assert.is((error as CommandError).exitCode, ExitCode.usage);
    }
  });
}

test('authentication may come from the environment, and the option wins', () => {
  const env = { ZKSH_AUTH: 'ann:secret' };
  assert.equal(parseZkshOptions([], env).auth, [{ scheme: 'digest', auth: 'ann:secret' }]);
  assert.equal(parseZkshOptions(['--auth', 'b:c'], env).auth, [{ scheme: 'digest', auth: 'b:c' }]);
});

test('--help names every option and every exit code', () => {
  const help = zkshHelp();
  for (const name of Object.keys(ZKSH.options)) assert.ok(help.includes(`--${name}`), name);
  assert.equal(
    EXIT_CODES.map(([code]) => code),
    Object.values(ExitCode),
  );
});

test.run();
