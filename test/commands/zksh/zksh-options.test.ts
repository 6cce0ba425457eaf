import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { variableOf } from '../../../src/commands/machine/environment.js';
import { CommandError } from '../../../src/commands/program/command-error.js';
import { EXIT_STATUSES, ExitCode } from '../../../src/commands/program/exit-status.js';
import { ZKSH } from '../../../src/commands/zksh/zksh-declaration.js';
import { zkshHelp } from '../../../src/commands/zksh/zksh-help.js';
import {
  parseZkshOptions,
  zkshWordsOfEnvironment,
} from '../../../src/commands/zksh/zksh-options.js';
import { readProjectFile } from '../../support/tidy/source-file.js';

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
  ['--timeout 5s', { timeoutMs: 5000 }],
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
  ['zk1 ls /', { target: 'zk1', words: ['ls', '/'] }],
  ['zk1 get -s /a', { words: ['get', '-s', '/a'] }],
  ['get -s /a', { target: '127.0.0.1:2181', words: ['get', '-s', '/a'] }],
  ['-o json --timeout 5s zk1 ls -R /', { format: 'json', words: ['ls', '-R', '/'] }],
  ['-kojson zk1 ls', { format: 'json', isKeepGoing: true, words: ['ls'] }],
  ['-P prod ls /', { profile: 'prod', words: ['ls', '/'] }],
  ['--embedded ls /', { isEmbedded: true, words: ['ls', '/'] }],
  ['get:2181 get /get', { target: 'get:2181', words: ['get', '/get'] }],
  ['zk1 nope', { words: ['nope'] }],
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
  ['zk1 -c a ls /', /cannot combine -c or -f with a command: ls/],
  ['-f a ls /', /cannot combine -c or -f with a command: ls/],
  ['--timeout abc', /--timeout: invalid duration: "abc" \(expected a number and ms, s/],
  ['--timeout 0', /expected 1ms to/],
  ['--timeout', /missing value: TIME/],
  ['-o xml', /--output: invalid value: "xml" \(expected text, table, json, ndjson, raw\)/],
  ['--client java', /--client: invalid value: "java" \(expected builtin, native/],
  ['-c a -f b', /cannot combine -c with -f/],
  ['--embedded zk1', /starts its own server/],
  ['--data-dir d', /requires --embedded/],
  ['zk1:port', /expected host\[:port\]/],
  ['zks://', /expected host\[:port\]/],
  ['--cacert ca.pem zk1', /--cacert requires TLS/],
  ['--insecure --embedded', /--insecure requires TLS/],
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
    EXIT_STATUSES.zksh.map(([code]) => code),
    Object.values(ExitCode).filter((code) => code !== ExitCode.badFile),
  );
});

const ENVIRONMENT: readonly (readonly [argv: string, env: object, expected: object])[] = [
  ['', { ZKSH_CONNECT: 'zk9/app' }, { target: 'zk9/app', isTargetGiven: false }],
  ['zk1', { ZKSH_CONNECT: 'zk9' }, { target: 'zk1', isTargetGiven: true }],
  ['ls /', { ZKSH_CONNECT: 'zk9' }, { target: 'zk9', words: ['ls', '/'] }],
  ['--embedded', { ZKSH_CONNECT: 'zk9' }, { isEmbedded: true }],
  ['', { ZKSH_TIMEOUT: '2s', ZKSH_OUTPUT: 'ndjson' }, { timeoutMs: 2000, format: 'ndjson' }],
  ['--timeout 1s', { ZKSH_TIMEOUT: '2s' }, { timeoutMs: 1000 }],
  ['', { ZKSH_READONLY: '1', ZKSH_DRY_RUN: 'false' }, { isReadOnly: true, isDryRun: false }],
  ['', { ZKSH_PROFILE: 'prod', ZKSH_TIMEOUT: '2s' }, { profile: 'prod', timeoutMs: undefined }],
  ['-P prod', { ZKSH_AUTH_FILE: 'f' }, { authFile: undefined }],
  ['--ask-auth me', { ZKSH_AUTH_FILE: 'f' }, { authFile: undefined, askAuth: 'me' }],
  ['zk1', { ZKSH_CACERT: 'ca' }, { tlsFiles: undefined }],
  ['', { ZKSH_TIMEOUT: '' }, { timeoutMs: undefined }],
];
for (const [argv, env, expected] of ENVIRONMENT) {
  test(`zksh ${argv} with ${JSON.stringify(env)}`, () => {
    const options = parseZkshOptions(argv.split(' ').filter(Boolean), { ...env });
    for (const [name, value] of Object.entries(expected)) {
      assert.equal(options[name as keyof typeof options], value, name);
    }
  });
}

test('TLS files come from the environment for a server with TLS', () => {
  const env = { ZKSH_CACERT: 'ca.pem', ZKSH_CONNECT: 'zks://zk1' };
  assert.is(parseZkshOptions([], env).tlsFiles?.cacert, 'ca.pem');
});

test('a bad variable is named', () => {
  for (const [env, says] of [
    [{ ZKSH_TIMEOUT: 'soon' }, /^ZKSH_TIMEOUT: invalid duration: "soon"/],
    [{ ZKSH_OUTPUT: 'xml' }, /^ZKSH_OUTPUT: invalid value: "xml"/],
    [{ ZKSH_READONLY: 'maybe' }, /^ZKSH_READONLY: invalid value: "maybe"/],
    [{ ZKSH_CONNECT: 'zk1:port' }, /expected host\[:port\]/],
  ] as const) {
    assert.throws(() => parseZkshOptions([], env), says);
  }
});

test('every option has a variable, except those that the guide lists', () => {
  const without = Object.keys(ZKSH.options).filter((name) => {
    const env = { [variableOf('zksh', name)]: '1' };
    const typed = { options: new Set<string>(), isSecure: true };
    try {
      return zkshWordsOfEnvironment(typed, env).length === 0;
    } catch {
      // It is read, and 1 is not a value of it.
      return false;
    }
  });
  const [, sentence = ''] =
    /except those that select what to run:([^.]*)\./.exec(readProjectFile('docs/zksh.md')) ?? [];
  const listed = [...sentence.matchAll(/--([a-z-]+)/g)].map(([, name = '']) => name);
  // ZKSH_AUTH is read, but not as a word of the command line.
  assert.equal(without.toSorted(), [...listed, 'auth', 'help', 'version'].toSorted());
});

test.run();
