import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { AtomicFile, writeAtomically } from '../../../src/commands/program/atomic-file.js';
import { makeTempDir } from '../../support/machine/temp-dir.js';

test('a link stays, and the file that it names is replaced with its mode', () => {
  const { path, remove } = makeTempDir('atomic-file');
  try {
    mkdirSync(join(path, 'far'));
    const real = join(path, 'far', 'real');
    const link = join(path, 'link');
    writeFileSync(real, 'old');
    chmodSync(real, 0o640);
    symlinkSync('far/real', link);
    writeAtomically(link, 'new');
    assert.is(readlinkSync(link), 'far/real');
    assert.equal([readFileSync(real, 'utf8'), statSync(real).mode & 0o777], ['new', 0o640]);
    assert.equal(readdirSync(path).sort(), ['far', 'link']);
    assert.equal(readdirSync(join(path, 'far')), ['real']);
  } finally {
    remove();
  }
});

test('a FIFO is written into, not replaced', async () => {
  const { path, remove } = makeTempDir('atomic-file');
  try {
    const fifo = join(path, 'fifo');
    assert.is(spawnSync('mkfifo', [fifo]).status, 0);
    const reader = spawn('cat', [fifo], { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    reader.stdout.on('data', (chunk) => {
      text += chunk;
    });
    writeAtomically(fifo, 'through');
    await once(reader, 'close');
    assert.equal([text, lstatSync(fifo).isFIFO()], ['through', true]);
  } finally {
    remove();
  }
});

test('a folder is refused, and a failure keeps the old content and no other file', () => {
  const { path, remove } = makeTempDir('atomic-file');
  try {
    assert.throws(() => writeAtomically(path, 'text'), /EISDIR/);
    const file = join(path, 'file');
    writeFileSync(file, 'old');
    const draft = new AtomicFile(file);
    draft.write('half');
    draft.close(false);
    assert.is(readFileSync(file, 'utf8'), 'old');
    assert.equal(readdirSync(path), ['file']);
  } finally {
    remove();
  }
});

test.run();
