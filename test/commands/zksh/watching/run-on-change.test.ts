import { existsSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Change } from '../../../../src/commands/results/change.js';
import type { Result } from '../../../../src/commands/results/result.js';
import {
  type OnChangeOptions,
  runOnChange,
} from '../../../../src/commands/zksh/watching/run-on-change.js';
import { FakeClient } from '../../../support/peers/fake-client.js';

async function makeChange(): Promise<Change> {
  const client = new FakeClient();
  await client.create('/a b', Buffer.from([0, 0xff, 10]));
  const before = await client.getData('/a b');
  await client.setData('/a b', Buffer.from('new'));
  const after = await client.getData('/a b');
  const type = 'NodeDataChanged';
  return {
    type,
    path: '/a b',
    zxid: 0x2an,
    isFoundLate: false,
    isAlreadyReported: false,
    before,
    after,
  };
}

async function run(program: string, options: Partial<OnChangeOptions> = {}, change?: Change) {
  const shown: Result[] = [];
  const ran = await runOnChange(change ?? (await makeChange()), {
    words: [process.execPath, '-e', program],
    hasOwnErrors: false,
    signal: new AbortController().signal,
    show: (result) => {
      shown.push(result);
    },
    ...options,
  });
  const output = shown.flatMap((result) => (result.kind === 'output' ? [result.data] : []));
  return { ran, output: Buffer.concat(output).toString() };
}

test('the change is in the environment, and the values are in files that are removed afterwards', async () => {
  const { ran, output } = await run(`
    const { readFileSync } = require('node:fs');
    const { ZKSH_EVENT, ZKSH_PATH, ZKSH_ZXID, ZKSH_VERSION, ZKSH_DATA_FILE, ZKSH_OLD_DATA_FILE } = process.env;
    const data = [ZKSH_DATA_FILE, ZKSH_OLD_DATA_FILE].map((file) => readFileSync(file).toString('hex'));
    console.log(JSON.stringify([ZKSH_EVENT, ZKSH_PATH, ZKSH_ZXID, ZKSH_VERSION, ...data, ZKSH_DATA_FILE]));
  `);
  const [event, path, zxid, version, data, old, file] = JSON.parse(output) as string[];
  assert.equal([event, path, zxid, version], ['NodeDataChanged', '/a b', '0x2a', '1']);
  assert.equal([data, old], [Buffer.from('new').toString('hex'), '00ff0a']);
  assert.is(ran.exitCode, 0);
  assert.not.ok(existsSync(file ?? ''));
});

test('a deleted znode has no file, and no version', async () => {
  const change: Change = { ...(await makeChange()), type: 'NodeDeleted', after: null };
  const program = 'console.log(process.env.ZKSH_DATA_FILE, process.env.ZKSH_VERSION)';
  assert.is((await run(program, {}, change)).output, 'undefined undefined\n');
});

test('its exit code and its errors are reported, and standard input is empty', async () => {
  const { ran, output } = await run(
    'process.stdin.on("end", () => { console.error("oh"); process.exitCode = 7; }).resume()',
  );
  assert.is(ran.exitCode, 7);
  assert.is(output, 'oh\n');
});

test('an interrupt ends the program', async () => {
  const abort = new AbortController();
  const { ran } = await run('console.log("up"); setInterval(() => {}, 1000)', {
    signal: abort.signal,
    show: () => abort.abort(),
  });
  assert.is(ran.signal, 'SIGTERM');
});

test('a missing program is named', async () => {
  try {
    await run('', { words: ['no-such-program'] });
    assert.unreachable();
  } catch (error) {
    assert.match(String(error), /no-such-program: cannot run program: program not found/);
  }
});

test.run();
