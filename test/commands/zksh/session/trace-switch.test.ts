// conformance: runs against Apache's server, too.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  makeTraceSwitch,
  traceLine,
  traceOption,
} from '../../../../src/commands/zksh/session/trace-switch.js';
import { oracleTest, startOracle } from '../../../support/apache/oracle.js';
import { startBundled } from '../../../support/bundled.js';
import { runZksh } from '../../../support/terminal/run-zksh.js';
import { makeServedShell } from '../../../support/terminal/served-shell.js';
import { makeShellWorld } from '../../../support/terminal/shell-world.js';

for (const [name, register, start] of [
  ['bundled', test, () => startBundled()],
  ['Apache', oracleTest, () => startOracle()],
] as const) {
  register(`trace on and off show the requests between them (${name})`, async () => {
    const server = await start();
    const lines: string[] = [];
    const tracer = makeTraceSwitch(false);
    tracer.tell = (event) => void lines.push(traceLine(event));
    const shell = makeServedShell(server.connectString, 'builtin', { client: traceOption(tracer) });
    shell.session.tracer = tracer;
    try {
      await shell.run('create /a x; trace on; get /a; get -w /a; set /a y; trace off; get /a');
      const shown = lines.map((line) => line.replace(/0x[0-9a-f]+|[\d.]+ ms|#\d+/g, '_'));
      assert.equal(shown, [
        '-> _ getData /a, 19 bytes',
        '<- _ getData /a: OK, zxid _, 93 bytes, _',
        '-> _ getData /a, 19 bytes',
        '<- _ getData /a: OK, zxid _, 93 bytes, _',
        '-> _ setData /a, 27 bytes',
        '<- event NodeDataChanged /a: zxid _, 34 bytes',
        '<- _ setData /a: OK, zxid _, 88 bytes, _',
      ]);
      assert.is(await shell.run('trace'), 'trace is off\n');
    } finally {
      await shell.close();
      await server.close();
    }
  });
}

test('--trace prints to standard error, without secrets', async () => {
  const args = ['--embedded', '--trace', '--auth', 'ann:s3cret'];
  const { stdout, stderr, code } = await runZksh([...args, '-c', 'create /a d4ta; get /a']);
  assert.is(stdout, 'Created /a\nd4ta\n');
  assert.is(code, 0);
  assert.match(stderr, /^zksh: --auth: .*\n-> connect .*\n<- connect: OK, session 0x/);
  assert.match(stderr, /\n-> auth digest, \d+ bytes\n<- auth: OK/);
  assert.match(
    stderr,
    /\n-> #2 getData \/a, 19 bytes\n<- #2 getData \/a: OK, zxid 0x\w+, \d+ bytes, /,
  );
  assert.match(stderr, /\n-> #3 closeSession, 12 bytes\n<- #3 closeSession: OK/);
  assert.not.match(stderr, /s3cret|d4ta/);
});

test('in JSON, each request is a document, also one that failed', async () => {
  const { stderr } = await runZksh(['--embedded', '--trace', '-o', 'ndjson', '-c', 'get /none']);
  const traces = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { trace?: { error?: string; path?: string } });
  const failed = traces.find(({ trace }) => trace?.error === 'NONODE');
  assert.is(failed?.trace?.path, '/none');
});

test('a client without a trace gives an error', async () => {
  const world = makeShellWorld();
  assert.is((await world.runFully('trace on')).error?.exitCode, 64);
  const { code } = await runZksh(['--client', 'native', '--trace', '-c', 'ls /']);
  assert.is(code, 64);
});

test.run();
