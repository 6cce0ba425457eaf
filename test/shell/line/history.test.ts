import { spawn } from 'node:child_process';
import {
  existsSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  HistoryFile,
  historyFile,
  MAX_HISTORY_ENTRIES,
  remember,
} from '../../../src/shell/line/history.js';
import { makeTempDir } from '../../support/machine/temp-dir.js';

test('the environment sets the path of the file', () => {
  assert.is(historyFile({}), join(homedir(), '.zksh_history'));
  assert.is(historyFile({ XDG_STATE_HOME: '/state' }), '/state/zksh/history');
  assert.is(historyFile({ XDG_STATE_HOME: 'relative' }), join(homedir(), '.zksh_history'));
  assert.is(historyFile({ ZKSH_HISTFILE: '/h', XDG_STATE_HOME: '/state' }), '/h');
  assert.is(historyFile({ ZKSH_HISTFILE: '' }), undefined);
});

test('a home that does not exist has no history, and is never made', () => {
  const home = process.env['HOME'];
  try {
    process.env['HOME'] = '/nonexistent/home';
    assert.is(historyFile({}), undefined);
    assert.is(historyFile({ XDG_STATE_HOME: '/nonexistent/home/.local/state' }), undefined);
    assert.is(historyFile({ XDG_STATE_HOME: '/state' }), '/state/zksh/history');
    assert.is(historyFile({ ZKSH_HISTFILE: '/h' }), '/h');
  } finally {
    if (home === undefined) delete process.env['HOME'];
    else process.env['HOME'] = home;
  }
});

test('a link to the history stays a link', async () => {
  await inTempDir(async (dir) => {
    const [path, link] = [join(dir, 'real'), join(dir, 'link')];
    writeFileSync(path, 'ls /\n'.repeat(MAX_HISTORY_ENTRIES * 3));
    symlinkSync('real', link);
    assert.equal(await new HistoryFile(link).load(), ['ls /']);
    assert.is(readlinkSync(link), 'real');
    assert.is(readFileSync(path, 'utf8'), 'ls /\n');
    assert.is(statSync(path).mode & 0o777, 0o600);
  });
});

test('a repeated entry is kept only at the end', () => {
  assert.equal(remember(['a', 'b'], 'a'), ['b', 'a']);
  assert.equal(remember([], 'a'), ['a']);
  const full = Array.from({ length: MAX_HISTORY_ENTRIES }, (_, index) => `${index}`);
  assert.is(remember(full, 'new').length, MAX_HISTORY_ENTRIES);
  assert.is(remember(full, 'new').at(-1), 'new');
});

test('entries of any content are read back unchanged', async () => {
  await inTempDir(async (dir) => {
    const entries = ['ls /', "create /a 'two\nrows'", 'set /a C:\\temp\\new', '漢字 😀', 'a\rb'];
    const path = join(dir, 'deep', 'history');
    for (const entry of entries) await new HistoryFile(path).append(entry);
    assert.equal(await new HistoryFile(path).load(), entries);
    assert.is(readFileSync(path, 'utf8').split('\n').length, entries.length + 1);
  });
});

test('the history is empty before the first entry, and repetitions are one', async () => {
  await inTempDir(async (dir) => {
    const file = new HistoryFile(join(dir, 'history'));
    assert.equal(await file.load(), []);
    for (const entry of ['a', 'b', 'a']) await file.append(entry);
    assert.equal(await file.load(), ['b', 'a']);
  });
});

test('only its owner can read the file, also one that already existed', async () => {
  await inTempDir(async (dir) => {
    for (const path of [join(dir, 'new'), join(dir, 'old')]) {
      if (path.endsWith('old')) writeFileSync(path, 'ls /\n', { mode: 0o644 });
      await new HistoryFile(path).append('get /a');
      assert.is(statSync(path).mode & 0o777, 0o600);
    }
  });
});

test('the size of the file is limited, and a huge entry is not stored', async () => {
  await inTempDir(async (dir) => {
    const path = join(dir, 'history');
    const count = MAX_HISTORY_ENTRIES * 2 + 1;
    writeFileSync(path, Array.from({ length: count }, (_, index) => `ls /${index}\n`).join(''));
    const file = new HistoryFile(path);
    const entries = await file.load();
    assert.is(entries.length, MAX_HISTORY_ENTRIES);
    assert.is(entries.at(-1), `ls /${count - 1}`);
    assert.is(readFileSync(path, 'utf8').split('\n').length, MAX_HISTORY_ENTRIES + 1);
    await file.append('x'.repeat(100_000));
    assert.equal(await file.load(), entries);
  });
});

test('several shells that append and shorten at once lose no line', async () => {
  await inTempDir(async (dir) => {
    const path = join(dir, 'history');
    // Long enough that the next shell that loads it shortens it.
    writeFileSync(path, 'old\n'.repeat(MAX_HISTORY_ENTRIES * 2 + 1));
    const module = new URL('../../../src/shell/line/history.js', import.meta.url).href;
    const script = `
      const { HistoryFile } = await import(${JSON.stringify(module)});
      const file = new HistoryFile(process.argv[1]);
      for (let i = 0; i < 25; i++) {
        if (i === 5) await file.load();
        await file.append(process.argv[2] + i);
      }`;
    const shells = ['a', 'b', 'c', 'd'].map((name) => run(['-e', script, path, name]));
    assert.equal(await Promise.all(shells), [0, 0, 0, 0]);
    const entries = new Set(await new HistoryFile(path).load());
    for (const name of ['a', 'b', 'c', 'd']) {
      for (let i = 0; i < 25; i++) assert.ok(entries.has(`${name}${i}`), `${name}${i}`);
    }
    assert.not.ok(existsSync(`${path}.lock`));
  });
});

function run(args: readonly string[]): Promise<number | null> {
  const child = spawn(process.execPath, ['--input-type=module', ...args], { stdio: 'inherit' });
  return new Promise((resolve) => child.once('close', resolve));
}

async function inTempDir(work: (path: string) => Promise<void>): Promise<void> {
  const dir = makeTempDir('history');
  try {
    await work(dir.path);
  } finally {
    dir.remove();
  }
}

test.run();
