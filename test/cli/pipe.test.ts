// COMMAND | PROGRAM, in -c.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startServer } from '../../src/server/main.js';
import { runZksh } from '../support/run-zksh.js';

async function withServer(
  work: (zksh: (...args: string[]) => ReturnType<typeof runZksh>, target: string) => Promise<void>,
): Promise<void> {
  const server = await startServer();
  const target = server.connectString;
  try {
    await runZksh([target, '-c', 'create /a hello; create /a/b; create /a/c']);
    await work((...args) => runZksh([target, ...args]), target);
  } finally {
    await server.close();
  }
}

test('a result goes to a program, and what it prints is shown in its place', () =>
  withServer(async (zksh) => {
    const run = await zksh('-c', 'pwd\nget /a | tr a-z A-Z; printf \'<%s>\' "$HOME" | wc -l\npwd');
    assert.equal([run.code, run.stderr, run.stdout], [0, '', '/\nHELLO\n0\n/\n']);
    const list = await zksh('-c', 'ls -R /a | sort -r | head -n 1');
    assert.equal([list.code, list.stdout], [0, '/a/c\n']);
    const json = await zksh('-o', 'json', '-c', 'ls /a | grep -c /a');
    assert.equal([json.code, json.stdout], [0, '1\n']);
  }));

test('a | in quotes, or within a word, is data', () =>
  withServer(async (zksh) => {
    const run = await zksh('-o', 'raw', '-c', "set /a '| cat'; get /a; set /a x|cat; get /a");
    assert.equal([run.code, run.stdout], [0, '| catx|cat']);
  }));

test('the exit code is that of the program, or of the command that failed before it', () =>
  withServer(async (zksh) => {
    const failed = await zksh('-c', 'get /a | exit 3\npwd');
    assert.equal([failed.code, failed.stdout], [3, '']);
    assert.is((await zksh('-k', '-c', 'get /a | exit 3\npwd')).stdout, '/\n');
    assert.is((await zksh('-c', 'get /a | kill -TERM $$')).code, 143);
    const missing = await zksh('-c', 'get /nothing | echo ran');
    assert.equal([missing.code, missing.stdout], [4, '']);
    assert.match(missing.stderr, /^Node does not exist: \/nothing\n/);
  }));

test('a program that has enough ends the command', () =>
  withServer(async (zksh) => {
    let isOver = false;
    const run = zksh('-c', 'watch /a | head -n 1').finally(() => {
      isOver = true;
    });
    // Until it watches, nobody is told.
    while (!isOver) await zksh('-c', 'set /a x');
    assert.equal([(await run).code, (await run).stderr], [0, '']);
  }));

test('a script from elsewhere runs no program', () =>
  withServer(async (zksh, target) => {
    const run = await runZksh([target], 'get /a | echo ran\n');
    assert.equal([run.code, run.stdout], [2, '']);
    assert.match(run.stderr, /a script gives nothing to a program/);
    const empty = await zksh('-c', 'pwd; get /a |');
    assert.equal([empty.code, empty.stdout], [2, '']);
    assert.match(empty.stderr, /nothing stands behind the \|/);
  }));

test.run();
