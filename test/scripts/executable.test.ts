/** The begin of the single executable, with a small archive in place of the files of dist/bin. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeTempDir } from '../support/machine/temp-dir.js';

const MAIN = 'scripts/executable-main.cjs';

function archiveOf(files: Readonly<Record<string, string>>): Buffer {
  const entries = Object.entries(files);
  const index = Buffer.from(
    JSON.stringify(entries.map(([name, text]) => ({ name, size: Buffer.byteLength(text) }))),
  );
  const length = Buffer.alloc(4);
  length.writeUInt32BE(index.length);
  return Buffer.concat([length, index, Buffer.from(entries.map(([, text]) => text).join(''))]);
}

interface World {
  readonly folder: string;
  readonly cache: string;
  readonly run: (
    called: string,
    args: readonly string[],
    env?: NodeJS.ProcessEnv,
  ) => {
    readonly status: number | null;
    readonly stdout: string;
    readonly stderr: string;
  };
}

/** Programs that print their own path and their arguments. */
function withPrograms(use: (world: World) => void): void {
  const { path: folder, remove } = makeTempDir('executable');
  try {
    const text = 'console.log(JSON.stringify([__filename, ...process.argv.slice(2)]))';
    const names = ['zksh', 'zkops', 'zkserver'].map((name) => [`dist/bin/${name}.cjs`, text]);
    writeFileSync(join(folder, 'files'), archiveOf(Object.fromEntries(names)));
    const hook = join(folder, 'hook.cjs');
    writeFileSync(
      hook,
      `const { readFileSync } = require('node:fs');
const Module = require('node:module');
const load = Module._load;
Module._load = (name, ...rest) => name === 'node:sea'
  ? { getRawAsset: () => readFileSync(${JSON.stringify(join(folder, 'files'))}) }
  : load(name, ...rest);`,
    );
    const cache = join(folder, 'cache');
    mkdirSync(cache);
    use({
      folder,
      cache: join(cache, 'zksh'),
      run: (called, args, env = {}) => {
        const command = ['-r', hook, MAIN, ...args];
        return spawnSync(process.execPath, command, {
          argv0: called,
          encoding: 'utf8',
          env: { PATH: process.env['PATH'], HOME: folder, XDG_CACHE_HOME: cache, ...env },
        });
      },
    });
  } finally {
    remove();
  }
}

test('the name, the first argument, or the script of a server chooses the program', () =>
  withPrograms(({ run, cache }) => {
    const scriptOf = (name: string) =>
      join(cache, readdirSync(cache)[0] ?? '', 'dist', 'bin', `${name}.cjs`);
    const byName = run('/usr/bin/zkops', ['health', '-q']);
    assert.equal(JSON.parse(byName.stdout), [scriptOf('zkops'), 'health', '-q'], byName.stderr);
    const byArgument = run('./zk', ['zksh', '-V']);
    assert.equal(JSON.parse(byArgument.stdout), [scriptOf('zksh'), '-V']);
    // As zkserver start runs itself.
    const byScript = run('/opt/zk', [scriptOf('zkserver'), 'start-foreground']);
    assert.equal(JSON.parse(byScript.stdout), [scriptOf('zkserver'), 'start-foreground']);
    const unknown = run('zk', ['help']);
    assert.is(unknown.status, 64);
    assert.match(unknown.stderr, 'zk: expected zksh, zkops, or zkserver');
  }));

test('the files are unpacked once, for their user alone', () =>
  withPrograms(({ run, cache }) => {
    run('zksh', []);
    const [version = ''] = readdirSync(cache);
    const script = join(cache, version, 'dist', 'bin', 'zksh.cjs');
    writeFileSync(script, 'console.log("kept")'.padEnd(readFileSync(script).length));
    assert.is(run('zksh', []).stdout, 'kept\n');
    assert.equal(readdirSync(cache), [version]);
    chmodSync(join(cache, version), 0o777);
    const [used] = JSON.parse(run('zksh', []).stdout);
    assert.not.ok(used.startsWith(cache), 'code that others may change does not run');
  }));

test('files that a loss of power or a cleanup left empty are unpacked again', () =>
  withPrograms(({ run, cache }) => {
    const { stdout: whole } = run('zksh', ['a']);
    const [version = ''] = readdirSync(cache);
    const bin = join(cache, version, 'dist', 'bin');
    for (const damage of [
      () => truncateSync(join(bin, 'zksh.cjs')),
      () => rmSync(join(bin, 'zkops.cjs')),
      () => rmSync(bin, { recursive: true }),
    ]) {
      damage();
      assert.is(run('zksh', ['a']).stdout, whole);
      assert.equal(readdirSync(cache), [version]);
      assert.equal(readdirSync(bin), ['zkops.cjs', 'zkserver.cjs', 'zksh.cjs']);
    }
  }));

test('with full disks the files go to memory, and without a place the error names all', () =>
  withPrograms(({ run, folder, cache }) => {
    const hook = join(folder, 'hook.cjs');
    const text = readFileSync(hook, 'utf8');
    const full = (isFull: string) =>
      writeFileSync(
        hook,
        `const fs = require('node:fs'), write = fs.writeFileSync;
fs.writeFileSync = (path, ...rest) => {
  if (${isFull}) throw new Error('ENOSPC: no space left on device, write');
  write(path, ...rest);
};
${text}`,
      );
    const inMemory = () => readdirSync('/dev/shm').filter((name) => name.startsWith('zksh-'));
    const before = inMemory();
    full("!path.startsWith('/dev/shm/')");
    const { stdout, stderr } = run('zkops', ['clean'], { TMPDIR: folder });
    assert.match(stdout, /^\["\/dev\/shm\/zksh-[^"]*\/zkops\.cjs","clean"\]\n$/, stderr);
    full('true');
    const failed = run('zkops', ['clean'], { TMPDIR: folder });
    assert.is(failed.status, 3);
    assert.is(
      failed.stderr,
      `zkops: cannot unpack its files: ${folder}: ENOSPC: no space left on device, write; /dev/shm: ENOSPC: no space left on device, write\n  Free 1 MB there, or name a folder: XDG_CACHE_HOME=FOLDER\n`,
    );
    assert.is(run('zkserver', ['start'], { TMPDIR: folder }).status, 1);
    assert.equal(inMemory(), before);
    assert.equal(
      readdirSync(folder).filter((name) => name.startsWith('zksh-')),
      [],
    );
    assert.equal(readdirSync(cache), []);
  }));

test('without a cache the files go to a folder that the end of the program removes', () =>
  withPrograms(({ run, folder }) => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const env = { XDG_CACHE_HOME: file, HOME: file, TMPDIR: folder };
    const { stdout, stderr } = run('zksh', ['a'], env);
    const [used, argument] = JSON.parse(stdout || `["${stderr}"]`);
    assert.ok(used.startsWith(join(folder, 'zksh-')), used);
    assert.is(argument, 'a');
    assert.not.ok(existsSync(used));
  }));

test('a user without an entry in /etc/passwd and without a home can run it', () =>
  withPrograms(({ run, folder }) => {
    const hook = join(folder, 'hook.cjs');
    const throwing = "require('node:os').homedir = () => { throw new Error('uv_os_homedir'); };\n";
    writeFileSync(hook, throwing + readFileSync(hook, 'utf8'));
    const env = { XDG_CACHE_HOME: undefined, HOME: undefined, TMPDIR: folder };
    const { stdout, stderr } = run('zksh', ['a'], env);
    const [used] = JSON.parse(stdout || `["${stderr}"]`);
    assert.ok(used.startsWith(join(folder, 'zksh-')), used);
  }));

test('npm run executable makes it', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  assert.match(scripts.executable, 'node scripts/executable.mjs');
});

test.run();
