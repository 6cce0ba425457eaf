import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  promises,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { lockDir } from '../../../../src/server/node/storage/dir-lock.js';
import { ExitCode, ServerError } from '../../../../src/server/node/storage/errors.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { waitFor } from '../../../support/wait-for.js';

const MODULE = fileURLToPath(
  new URL('../../../../src/server/node/storage/dir-lock.js', import.meta.url),
);

async function refusal(folder: string): Promise<ServerError> {
  try {
    await lockDir(folder);
  } catch (error) {
    assert.instance(error, ServerError);
    return error as ServerError;
  }
  throw new Error('locked');
}

interface Locker {
  readonly child: ChildProcess;
  /** The lines that it has printed. */
  readonly said: string[];
  end(): Promise<void>;
}

/** A process that runs `body` with `lockDir` and `say`. */
function startLocker(body: string): Locker {
  const source = `
    import { lockDir } from ${JSON.stringify(pathToFileURL(MODULE).href)};
    const say = (text) => process.stdout.write(text + '\\n');
    ${body}
    process.stdin.resume();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const said: string[] = [];
  child.stdout.on('data', (bytes: Buffer) => said.push(...bytes.toString().trim().split('\n')));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return {
    child,
    said,
    end: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

const takes = (folder: string) =>
  `lockDir(${JSON.stringify(folder)}).then(() => say('held'), (error) => say(error.code));`;

test('this process can lock a folder only once, and again after it unlocks it', async () => {
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

test('one of many simultaneous attempts succeeds', async () => {
  const { path, remove } = makeTempDir('lock');
  try {
    const asked = Array.from({ length: 12 }, () => lockDir(path));
    const results = await Promise.allSettled(asked);
    const won = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    assert.is(won.length, 1);
    await won[0]?.release();
    assert.equal(readdirSync(path), []);
  } finally {
    remove();
  }
});

test('the folder of a killed process is free at once', async () => {
  const { path, remove } = makeTempDir('lock');
  const other = startLocker(takes(path));
  try {
    await waitFor('the other process', () => other.said.includes('held'));
    assert.match((await refusal(path)).message, `process ${other.child.pid}`);
    await other.end();
    assert.is(readdirSync(path).length, 1);
    await (await lockDir(path)).release();
    assert.equal(readdirSync(path), []);
  } finally {
    await other.end();
    remove();
  }
});

test('a stopped process keeps its folder', async () => {
  const { path, remove } = makeTempDir('lock');
  const other = startLocker(takes(path));
  try {
    await waitFor('the other process', () => other.said.includes('held'));
    other.child.kill('SIGSTOP');
    assert.is((await refusal(path)).code, 'EDATADIRINUSE');
  } finally {
    await other.end();
    remove();
  }
});

test('two of many processes that start, end, and are killed never hold the folder together', async () => {
  const { path, remove } = makeTempDir('lock');
  const folder = join(path, 'data');
  const inside = join(path, 'inside');
  mkdirSync(folder);
  mkdirSync(inside);
  // A process that holds the folder makes a mark, and looks for the marks of others.
  const body = `
    import { readdirSync, rmSync, writeFileSync } from 'node:fs';
    const inside = ${JSON.stringify(inside)};
    const mark = inside + '/' + process.pid;
    const isAlive = (pid) => { try { process.kill(pid, 0); return true; } catch { return false; } };
    const look = () => {
      for (const pid of readdirSync(inside)) {
        if (Number(pid) !== process.pid && isAlive(Number(pid))) say('overlap ' + pid);
      }
    };
    for (;;) {
      const lock = await lockDir(${JSON.stringify(folder)}).catch((error) => {
        if (error.code !== 'EDATADIRINUSE') say(error.stack);
      });
      if (lock === undefined) continue;
      writeFileSync(mark, '');
      look();
      say('held');
      await new Promise((resolve) => setTimeout(resolve, 5));
      look();
      rmSync(mark);
      await lock.release();
      await new Promise((resolve) => setTimeout(resolve, 2));
    }`;
  const all: Locker[] = [];
  const counted = () => all.flatMap(({ said }) => said);
  // A killed process releases its claim some time before `isAlive` notices.
  const killed: string[] = [];
  const checkTurns = () => {
    const unexpected = counted().filter((line) => line !== 'held' && !killed.includes(line));
    assert.equal(unexpected, []);
  };
  try {
    const running = Array.from({ length: 5 }, () => startLocker(body));
    all.push(...running);
    for (let round = 1; round <= 8; round++) {
      await waitFor('some turns', () => counted().length >= round * 10);
      // Kills one at any point, and starts another in its place.
      checkTurns();
      const victim = running.shift();
      killed.push(`overlap ${victim?.child.pid}`);
      await victim?.end();
      const next = startLocker(body);
      running.push(next);
      all.push(next);
    }
    checkTurns();
  } finally {
    for (const locker of all) await locker.end();
    remove();
  }
});

test('claims of earlier boots, copies, and invalid claims do not hold the folder', async () => {
  const { path, remove } = makeTempDir('lock');
  const source = join(path, 'source');
  const copy = join(path, 'copy');
  mkdirSync(source);
  mkdirSync(copy);
  const held = await lockDir(source);
  try {
    const [name = ''] = readdirSync(source);
    assert.match(name, /^zkserver\.lock\.[0-9a-f]{12}\.[0-9a-f]{16}$/);
    for (const text of ['', 'nonsense', `${process.pid}`]) {
      writeFileSync(join(copy, name), text);
      writeFileSync(join(copy, 'zkserver.lock.0123456789ab.0123456789abcdef'), text);
      writeFileSync(join(copy, `zkserver.new.${name.slice('zkserver.lock.'.length)}`), text);
      await (await lockDir(copy)).release();
      assert.equal(readdirSync(copy), []);
    }
    assert.is((await refusal(source)).code, 'EDATADIRINUSE');
  } finally {
    await held.release();
    remove();
  }
});

test('a claim of another kernel counts while it is renewed', async () => {
  const { path, remove } = makeTempDir('lock');
  const beat = join(path, 'zkserver.beat.0123456789ab.0123456789abcdef');
  let count = 0;
  const write = () => writeFileSync(beat, `holder 7 elsewhere ${++count}\n`);
  write();
  const timer = setInterval(write, 100);
  try {
    assert.match((await refusal(path)).message, 'process 7 on elsewhere');
    assert.ok(existsSync(beat));
  } finally {
    clearInterval(timer);
    remove();
  }
});

test('a claim of another kernel that is empty while it is renewed names its owner', async () => {
  const { path, remove } = makeTempDir('lock');
  const beat = join(path, 'zkserver.beat.0123456789ab.0123456789abcdef');
  let count = 0;
  // Empty at first and at every other look: a busy machine may skip some.
  const write = () => writeFileSync(beat, count % 2 === 0 ? '' : `holder 7 elsewhere ${count}\n`);
  write();
  const timer = setInterval(() => {
    count++;
    write();
  }, 100);
  try {
    assert.match((await refusal(path)).message, 'process 7 on elsewhere');
  } finally {
    clearInterval(timer);
    remove();
  }
});

test('the path of a folder may be longer than that of a socket', async () => {
  const { path, remove } = makeTempDir('lock');
  const folder = join(path, 'a'.repeat(120), 'b'.repeat(120));
  mkdirSync(folder, { recursive: true });
  try {
    const lock = await lockDir(folder);
    assert.is((await refusal(folder)).code, 'EDATADIRINUSE');
    await lock.release();
    assert.equal(readdirSync(folder), []);
  } finally {
    remove();
  }
});

/** Locks a folder on a file system of this type (f_type). `beat` is what its timer runs. */
async function onFileSystem(
  type: number,
  body: (folder: string, timers: NodeJS.Timeout[], beat: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const { path, remove } = makeTempDir('lock');
  const { statfs } = promises;
  const { setInterval: start } = globalThis;
  const timers: NodeJS.Timeout[] = [];
  let beat = async (): Promise<void> => undefined;
  const replaced = (run: () => Promise<void>, ms: number): NodeJS.Timeout => {
    assert.is(ms, 2000);
    beat = run;
    const timer = start(() => undefined, ms);
    timers.push(timer);
    return timer;
  };
  Object.assign(promises, { statfs: async () => ({ type }) });
  Object.assign(globalThis, { setInterval: replaced });
  syncBuiltinESMExports();
  try {
    const lock = await lockDir(path);
    await body(path, timers, () => beat());
    await lock.release();
    assert.equal(readdirSync(path), []);
  } finally {
    Object.assign(promises, { statfs });
    Object.assign(globalThis, { setInterval: start });
    syncBuiltinESMExports();
    remove();
  }
}

/** From statfs(2) and the sources of the kernel. */
const SHARED: readonly [name: string, type: number][] = [
  ['NFS', 0x6969],
  ['SMB', 0x517b],
  ['SMB 2', 0xfe534d42],
  ['CIFS', 0xff534d42],
  ['9P', 0x01021997],
  ['FUSE', 0x65735546],
  ['Ceph', 0x00c36400],
  ['Lustre', 0x0bd00bd0],
  ['OpenAFS', 0x5346414f],
  ['AFS', 0x6b414653],
  ['VirtualBox', 0x786f4256],
  ['GPFS', 0x47504653],
  ['OCFS2', 0x7461636f],
  ['GFS2', 0x01161970],
];

for (const [name, type] of SHARED) {
  test(`on ${name}, which kernels share, a claim has a file with its beats`, async () => {
    await onFileSystem(type, async (folder, timers, beat) => {
      const [file = '', socket] = readdirSync(folder);
      assert.match(file, /^zkserver\.beat\.[0-9a-f]{12}\.[0-9a-f]{16}$/);
      assert.is(socket, file.replace('beat', 'lock'));
      const read = () => readFileSync(join(folder, file), 'utf8');
      assert.is(read(), `starter ${process.pid} ${hostname()} 1\n`);
      await beat();
      assert.is(read(), `holder ${process.pid} ${hostname()} 2\n`);
      assert.is(statSync(join(folder, file)).mode & 0o777 & ~0o644, 0);
      assert.equal(
        timers.map((timer) => timer.hasRef()),
        [false],
      );
    });
  });
}

test('on other file systems, a claim has no beats', async () => {
  await onFileSystem(0xef53, async (folder, timers) => {
    assert.is(readdirSync(folder).length, 1);
    assert.equal(timers, []);
  });
});

test('without sockets, a claim has its beats only', async () => {
  const { path, remove } = makeTempDir('lock');
  const folder = join(path, 'x'.repeat(100));
  mkdirSync(folder);
  const own = Object.getOwnPropertyDescriptor(process, 'platform') as PropertyDescriptor;
  Object.defineProperty(process, 'platform', { ...own, value: 'freebsd' });
  try {
    const lock = await lockDir(folder);
    const files = readdirSync(folder);
    assert.is(files.length, 1);
    assert.match(files[0] ?? '', /^zkserver\.beat\./);
    await lock.release();
    assert.equal(readdirSync(folder), []);
  } finally {
    Object.defineProperty(process, 'platform', own);
    remove();
  }
});

test.run();
