import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { EncryptedFile } from '../../../../src/commands/zkops/backup/encrypted-file.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';

const KEY = Buffer.alloc(32, 7);

function withFolder(use: (folder: string) => void): void {
  const folder = makeTempDir('encrypted');
  try {
    use(folder.path);
  } finally {
    folder.remove();
  }
}

function open(path: string, flags: 'r' | 'r+' = 'r'): EncryptedFile {
  const file = EncryptedFile.open(path, KEY, flags);
  assert.ok(file);
  return file;
}

/** @throws DamagedBytes or CommandError */
function contentOf(path: string, key = KEY): Buffer {
  const file = EncryptedFile.open(path, key, 'r');
  if (file === undefined) return Buffer.alloc(0);
  try {
    const pieces: Buffer[] = [];
    for (let position = 0; ; ) {
      const piece = Buffer.alloc(1000);
      const count = file.read(piece, 0, piece.length, position);
      if (count === 0) return Buffer.concat(pieces);
      pieces.push(piece.subarray(0, count));
      position += count;
    }
  } finally {
    file.close();
  }
}

function isRefused(path: string, key = KEY): boolean {
  try {
    contentOf(path, key);
    return false;
  } catch {
    return true;
  }
}

/** Three chunks. */
function makeFile(path: string): void {
  const file = EncryptedFile.create(path, KEY);
  for (const text of ['first', 'second', 'third']) {
    file.write(Buffer.from(text));
    file.sync();
  }
  file.close();
}

/** Head and ciphertext with its tag, for each chunk. */
function chunksOf(bytes: Buffer): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 32; at < bytes.length; ) {
    const size = 20 + bytes.readUInt32BE(at) + 16;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

test('any changed byte is found', () =>
  withFolder((folder) => {
    const path = join(folder, 'log.1');
    makeFile(path);
    const bytes = readFileSync(path);
    assert.is(`${contentOf(path)}`, 'firstsecondthird');
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      writeFileSync(path, changed);
      assert.ok(isRefused(path), `byte ${at}`);
    }
  }));

test('chunks in another order, of another file, or of another key are found', () =>
  withFolder((folder) => {
    const [path, other] = [join(folder, 'log.1'), join(folder, 'log.2')];
    makeFile(path);
    const bytes = readFileSync(path);
    const [first, second, third] = chunksOf(bytes);
    assert.ok(first && second && third);
    const header = bytes.subarray(0, 32);
    for (const order of [[second], [first, third], [first, third, second], [first, first]]) {
      writeFileSync(path, Buffer.concat([header, ...order]));
      assert.ok(isRefused(path));
    }
    writeFileSync(path, bytes);
    copyFileSync(path, other);
    assert.ok(isRefused(other), 'under another name');
    rmSync(other);
    makeFile(other);
    const foreign = chunksOf(readFileSync(other)).slice(0, 1);
    writeFileSync(path, Buffer.concat([header, ...foreign]));
    assert.ok(isRefused(path), 'of another file');
    assert.ok(isRefused(other, Buffer.alloc(32, 8)), 'another key');
  }));

test('a crash leaves a whole number of chunks, and the file continues after them', () =>
  withFolder((folder) => {
    const path = join(folder, 'log.1');
    makeFile(path);
    const bytes = readFileSync(path);
    for (let length = 0; length < bytes.length; length++) {
      for (const zeros of [0, 50]) {
        // One tag in 256 ends with a zero: nothing is lost then.
        if (zeros > 0 && bytes.subarray(length).every((byte) => byte === 0)) continue;
        writeFileSync(path, Buffer.concat([bytes.subarray(0, length), Buffer.alloc(zeros)]));
        const isTorn = !isRefused(path);
        // Zeros over a part of a chunk are damage: its head is there.
        if (!isTorn) assert.is(zeros, 50);
        if (!isTorn || length < 32) continue;
        const left = `${contentOf(path)}`;
        assert.ok(['', 'first', 'firstsecond'].includes(left), left);
        const file = open(path, 'r+');
        file.truncate(file.size);
        file.write(Buffer.from(' more'));
        file.close();
        assert.is(`${contentOf(path)}`, `${left} more`);
      }
    }
  }));

test('a cut file never encrypts two texts with one nonce', () =>
  withFolder((folder) => {
    const path = join(folder, 'log.1');
    const texts = new Map<string, string>();
    const note = () => {
      for (const chunk of chunksOf(readFileSync(path))) {
        const nonce = chunk.toString('hex', 4, 16);
        const text = chunk.toString('hex', 20);
        assert.is(texts.get(nonce) ?? text, text);
        texts.set(nonce, text);
      }
    };
    makeFile(path);
    note();
    for (let round = 0; round < 20; round++) {
      const file = open(path, 'r+');
      file.truncate(6 + (round % 2));
      file.write(Buffer.from(`round ${round}`));
      file.close();
      note();
    }
    assert.ok(texts.size > 30, `${texts.size} nonces`);
    assert.is(`${contentOf(path)}`, 'firstsrround 19');
  }));

const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('write' as const), size: fc.nat({ max: 3000 }) }),
    fc.record({ kind: fc.constant('large' as const), size: fc.nat({ max: 1_200_000 }) }),
    fc.record({ kind: fc.constantFrom('sync' as const, 'reopen' as const), size: fc.constant(0) }),
    fc.record({ kind: fc.constant('truncate' as const), size: fc.nat({ max: 4000 }) }),
  ),
  { maxLength: 15 },
);

test('it reads as the bytes that were written', () =>
  withFolder((folder) => {
    let run = 0;
    fc.assert(
      fc.property(steps, (all) => {
        const path = join(folder, `log.${++run}`);
        let file = EncryptedFile.create(path, KEY);
        let model = Buffer.alloc(0);
        for (const { kind, size } of all) {
          if (kind === 'write' || kind === 'large') {
            const bytes = Buffer.alloc(size, model.length % 251);
            file.write(bytes);
            model = Buffer.concat([model, bytes]);
          } else if (kind === 'truncate') {
            file.truncate(Math.min(size, model.length));
            model = model.subarray(0, size);
          } else if (kind === 'sync') file.sync();
          else {
            file.close();
            file = open(path, 'r+');
          }
          assert.is(file.size, model.length);
        }
        file.close();
        assert.ok(contentOf(path).equals(model));
      }),
      { numRuns: 25 },
    );
  }));

test.run();
