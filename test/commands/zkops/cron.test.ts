import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { AskWord } from '../../../src/commands/ensemble/ask.js';
import { takeRunLock } from '../../../src/commands/program/run-lock.js';
import { renderMembers } from '../../../src/commands/results/members.js';
import { main } from '../../../src/commands/zkops/cli.js';
import { makeTempDir } from '../../support/machine/temp-dir.js';
import { srvrText } from './members-of.js';

interface Call {
  readonly exitCode: number;
  readonly out: string;
  readonly error: string;
  readonly asked: number;
}

/** One run over three members, of which those in `modes` answer. */
async function run(
  args: readonly string[],
  modes: Readonly<Record<number, string>>,
): Promise<Call> {
  let out = '';
  let error = '';
  let asked = 0;
  const ask: AskWord = (address, word) => {
    asked += 1;
    const mode = modes[address.port];
    if (mode === undefined)
      return Promise.reject(Object.assign(new Error(), { reason: 'refused' }));
    return Promise.resolve(Buffer.from(word === 'srvr' ? srvrText(mode) : 'zk_uptime\t5\n'));
  };
  const exitCode = await main(['health', '--servers', 'a:1,a:2,a:3', '--confirm', '1', ...args], {
    ask,
    now: () => new Date(0),
    terminal: { width: 80, isColor: false },
    writeOut: (text) => {
      out += text;
    },
    writeError: (text) => {
      error += text;
    },
    render: (result, show) => renderMembers(result, show, { width: 80, isColor: false }),
  });
  return { exitCode, out, error, asked };
}

const WELL = { 1: 'leader', 2: 'follower', 3: 'follower' };
const ONE_DOWN = { 1: 'leader', 2: 'follower' };

test('-q with a state prints only changes', async () => {
  const folder = makeTempDir('zkops');
  try {
    const args = ['-q', '--state', join(folder.path, 'state.json')];
    assert.equal(await run(args, WELL), { exitCode: 0, out: '', error: '', asked: 9 });
    const down = await run(args, ONE_DOWN);
    assert.is(down.exitCode, 1);
    assert.match(down.out, /^1970-01-01T00:00:00.000Z WARNING a:3: connection refused[^\n]*\n$/);
    const again = await run(args, ONE_DOWN);
    assert.equal([again.exitCode, again.out], [1, '']);
    assert.match((await run(args, WELL)).out, / RECOVERED a:3: ended, first found 1970/);
    assert.equal(readdirSync(folder.path), ['state.json']);
  } finally {
    folder.remove();
  }
});

test('a state that cannot be read is reported, and a new one begins', async () => {
  const folder = makeTempDir('zkops');
  try {
    const state = join(folder.path, 'state.json');
    writeFileSync(state, '{"schema":');
    const call = await run(['-q', '--state', state], WELL);
    assert.is(call.exitCode, 0);
    assert.match(call.error, /^zkops: --state .*: cannot read: .*; starting a new state\n$/);
    assert.is((await run(['-q', '--state', state], WELL)).error, '');
  } finally {
    folder.remove();
  }
});

test('a --state that is another file is refused and stays, and an empty one begins a state', async () => {
  const folder = makeTempDir('cron');
  try {
    const state = join(folder.path, 'state.json');
    for (const text of ['root:x:0:0\n', '[]', '{"schema":"zkops-roll/1"}']) {
      writeFileSync(state, text);
      const call = await run(['-q', '--state', state], WELL);
      assert.is(call.exitCode, 3, text);
      assert.match(call.error, /not a zkops-state\/1 file, so it is left as it is/);
      assert.is(readFileSync(state, 'utf8'), text);
    }
    writeFileSync(state, '');
    assert.equal((await run(['-q', '--state', state], WELL)).error, '');
    assert.match(readFileSync(state, 'utf8'), /^\{"schema":"zkops-state/);
  } finally {
    folder.remove();
  }
});

test('a state or a file that cannot be written gives exit code 3, with the reason', async () => {
  const folder = makeTempDir('zkops');
  try {
    const away = join(folder.path, 'no', 'such');
    for (const option of ['--state', '--out', '--lock']) {
      const { exitCode, error } = await run([option, away], WELL);
      assert.is(exitCode, 3, option);
      assert.match(error, new RegExp(`^zkops: ${option} .*: cannot write: ENOENT`));
    }
  } finally {
    folder.remove();
  }
});

test('--out writes the whole file or leaves the old one', async () => {
  const folder = makeTempDir('zkops');
  try {
    const file = join(folder.path, 'zk.prom');
    const { out, exitCode } = await run(['-o', 'prom', '--out', file], ONE_DOWN);
    assert.equal([out, exitCode], ['', 1]);
    assert.match(readFileSync(file, 'utf8'), /^zk_up\{server="a:1"\} 1$/m);
    assert.equal(readdirSync(folder.path), ['zk.prom']);
    const taken = join(folder.path, 'folder');
    mkdirSync(taken);
    assert.is((await run(['--out', taken], WELL)).exitCode, 3);
    assert.equal(readdirSync(folder.path).sort(), ['folder', 'zk.prom']);
  } finally {
    folder.remove();
  }
});

test('a run that finds the lock taken queries no member and exits with 3', async () => {
  const folder = makeTempDir('zkops');
  try {
    const lock = join(folder.path, 'lock');
    // This process lives, so the lock is valid.
    writeFileSync(lock, `${process.pid} 60000\n`);
    const held = await run(['--lock', lock], WELL);
    assert.equal([held.exitCode, held.asked, held.out], [3, 0, '']);
    assert.match(held.error, `held by another run: process ${process.pid}; no member was queried`);
    assert.is(readFileSync(lock, 'utf8'), `${process.pid} 60000\n`);
  } finally {
    folder.remove();
  }
});

test('a lock is released, and one of a process that has ended is taken over', async () => {
  const folder = makeTempDir('zkops');
  try {
    const lock = join(folder.path, 'lock');
    for (const stale of ['4194305 99999999999999\n', `${process.pid} 5\n`]) {
      writeFileSync(lock, stale);
      const taken = takeRunLock(lock, 1000, 10);
      assert.ok('release' in taken, stale);
      assert.equal(takeRunLock(lock, 1000, 10), { heldBy: String(process.pid) });
      if ('release' in taken) taken.release();
      assert.is(existsSync(lock), false);
    }
    // A run that died, or met a full disk, leaves a part of a lock, or nothing.
    for (const torn of ['', '1', `${process.pid} 60`]) {
      writeFileSync(lock, torn);
      const madeMs = statSync(lock).mtimeMs;
      assert.ok('heldBy' in takeRunLock(lock, 1000, madeMs), 'another run may be writing it');
      const taken = takeRunLock(lock, 1000, madeMs + 61_000);
      assert.ok('release' in taken, torn);
      taken.release();
    }
    writeFileSync(lock, 'something else');
    assert.throws(() => takeRunLock(lock, 1000, 10), /has something else than a lock/);
    assert.is(readFileSync(lock, 'utf8'), 'something else');
    const call = await run(['--lock', lock], WELL);
    assert.equal([call.exitCode, /has something else/.test(call.error)], [3, true], call.error);
    rmSync(lock);
    mkdirSync(lock);
    assert.throws(() => takeRunLock(lock, 1000, 10), /is not a regular file/);
    assert.equal(readdirSync(folder.path), ['lock']);
  } finally {
    folder.remove();
  }
});

test('--fail-on sets the lowest level that affects the exit status', async () => {
  const codes = async (failOn: string) => [
    (await run(['--fail-on', failOn], WELL)).exitCode,
    (await run(['--fail-on', failOn], ONE_DOWN)).exitCode,
    (await run(['--fail-on', failOn], {})).exitCode,
  ];
  assert.equal(await codes('warn'), [0, 1, 2]);
  assert.equal(await codes('crit'), [0, 0, 2]);
  assert.equal(await codes('never'), [0, 0, 0]);
});

test('--min-serving raises a loss that the quorum would allow to critical', async () => {
  const { exitCode, out } = await run(['--min-serving', '3'], ONE_DOWN);
  assert.is(exitCode, 2);
  assert.match(out, /2 of 3 members serve \(expected at least 3 by --min-serving\)/);
});

test.run();
