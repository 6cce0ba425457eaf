import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { lockDir } from '../../../src/server/node/dir-lock.js';
import { ExitCode, ServerError } from '../../../src/server/node/errors.js';
import { makeTempDir } from '../../support/temp-dir.js';
import { waitFor } from '../../support/wait-for.js';

const LOCK = 'zkserver.lock';

async function refusal(folder: string): Promise<ServerError> {
  try {
    await lockDir(folder);
  } catch (error) {
    assert.instance(error, ServerError);
    return error as ServerError;
  }
  throw new Error('locked');
}

/** Another process that stays until it is killed. */
function startOther(): ChildProcess {
  return spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGKILL');
  await ended;
}

test('a folder is had once by this process, and again when it is let go', async () => {
  const { path, remove } = makeTempDir('lock');
  try {
    const lock = await lockDir(path);
    const { code, message, exitCode } = await refusal(path);
    assert.is(code, 'EDATADIRINUSE');
    assert.is(exitCode, ExitCode.DATA_DIR);
    assert.match(message, path);
    assert.match(message, `process ${process.pid}`);
    await lock.release();
    assert.equal(readdirSync(path), []);
    await (await lockDir(path)).release();
  } finally {
    remove();
  }
});

test('of two that ask at once, one gets it', async () => {
  const { path, remove } = makeTempDir('lock');
  try {
    const results = await Promise.allSettled([lockDir(path), lockDir(path), lockDir(path)]);
    const won = results.filter(({ status }) => status === 'fulfilled');
    assert.is(won.length, 1);
  } finally {
    remove();
  }
});

test('a folder that a living process has is refused, by its number', async () => {
  const { path, remove } = makeTempDir('lock');
  const other = startOther();
  try {
    const { pid } = other;
    writeFileSync(join(path, LOCK), `${pid} ${startTimeOf(pid ?? 0)}\n`);
    assert.match((await refusal(path)).message, `process ${pid}`);
    await end(other);
    // The process is gone: its file means nothing any more.
    const lock = await lockDir(path);
    assert.match(readFileSync(join(path, LOCK), 'utf8'), new RegExp(`^${process.pid} `));
    await lock.release();
  } finally {
    await end(other);
    remove();
  }
});

test('a number that was given to another process since does not hold the folder', async () => {
  if (!existsSync('/proc/self/stat')) return;
  const { path, remove } = makeTempDir('lock');
  const other = startOther();
  try {
    await waitFor('the other process', () => other.pid !== undefined);
    writeFileSync(join(path, LOCK), `${other.pid} 1\n`);
    await (await lockDir(path)).release();
  } finally {
    await end(other);
    remove();
  }
});

test('the own number of an earlier life does not hold the folder', async () => {
  const { path, remove } = makeTempDir('lock');
  try {
    writeFileSync(join(path, LOCK), `${process.pid} 1\n`);
    await (await lockDir(path)).release();
  } finally {
    remove();
  }
});

test('a file that holds nothing of sense does not hold the folder', async () => {
  const { path, remove } = makeTempDir('lock');
  try {
    for (const text of ['', 'nonsense', '-1', '0 0', '99999999999 1']) {
      writeFileSync(join(path, LOCK), text);
      await (await lockDir(path)).release();
    }
    assert.equal(readdirSync(path), []);
  } finally {
    remove();
  }
});

function startTimeOf(pid: number): string {
  if (!existsSync('/proc/self/stat')) return '';
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

test.run();
