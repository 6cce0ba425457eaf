// COMMAND | PROGRAM, as at the prompt. The output of a program bypasses the shell, so it goes to
// files here.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { makeShellWorld, type ShellWorldOptions } from '../../../support/terminal/shell-world.js';

type World = ReturnType<typeof makeShellWorld>;

async function withWorld(
  work: (world: World, file: string) => Promise<void>,
  options: ShellWorldOptions = {},
): Promise<void> {
  const folder = makeTempDir('piped');
  try {
    await work(makeShellWorld({ isPipeAllowed: true, ...options }), join(folder.path, 'printed'));
  } finally {
    folder.remove();
  }
}

test('a result goes to a program, which is the rest of the line', () =>
  withWorld(async (world, file) => {
    await world.run(`get /a | tr a-z A-Z > ${file}; echo ';' >> ${file}`);
    assert.is(readFileSync(file, 'utf8'), 'HELLO\n;\n');
    await world.run(`printwatches | wc -l > ${file}`);
    assert.is(readFileSync(file, 'utf8').trim(), '1');
  }));

test('the program gets the requested format', () =>
  withWorld(
    async (world, file) => {
      await world.run(`get /a | grep -c '"data"' > ${file}`);
      assert.is(readFileSync(file, 'utf8'), '1\n');
    },
    { format: 'json' },
  ));

test('a | in quotes or within a word is data', () =>
  withWorld(async (world) => {
    await world.run("set /a '| cat'");
    assert.is(await world.run('get /a'), '| cat\n');
    await world.run('set /a x|cat');
    assert.is(await world.run('get /a'), 'x|cat\n');
  }));

test('the exit status of a failed program is reported', () =>
  withWorld(async (world) => {
    for (const [line, exitCode] of [
      ['get /a | exit 3', 3],
      ['get /a | kill -TERM $$', 143],
    ] as const) {
      const { results } = await world.runFully(line);
      const last = results.at(-1);
      assert.is(last?.kind === 'ran' ? last.exitCode : undefined, exitCode, line);
    }
  }));

test('a command that fails without output runs no program', () =>
  withWorld(async (world, file) => {
    const { error } = await world.runFully(`get /nothing | touch ${file}`);
    assert.is(error?.exitCode, 4);
    assert.not.ok(existsSync(file));
  }));

test('a program that exits early ends the command', () =>
  withWorld(async (world, file) => {
    const { error } = await world.runFully(`repeat 1000000 get /a | head -n 1 > ${file}`);
    assert.is(error, undefined);
    assert.is(readFileSync(file, 'utf8'), 'hello\n');
    assert.ok(world.client.calls.length < 1_000_000);
  }));

test('a line outside of the prompt runs no program', () =>
  withWorld(
    async (world, file) => {
      const { error } = await world.runFully(`get /a | touch ${file}`);
      assert.equal([error?.code, error?.exitCode], ['PIPE', 64]);
      assert.match(error?.sentence ?? '', /pipes are not available in scripts/);
      assert.not.ok(existsSync(file));
    },
    { isPipeAllowed: false },
  ));

test.run();
