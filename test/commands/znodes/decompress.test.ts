import { deflateSync, gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loadRenderer } from '../../../src/commands/results/render.js';
import { decompress } from '../../../src/commands/znodes/decompress.js';
import { packChunk, SNAPPY_HEADER } from '../../../src/files/snappy.js';
import { makeShellWorld } from '../../support/terminal/shell-world.js';

const TEXT = Buffer.from('{"pool": 20}'.repeat(20));
/** A frame of zstd with one raw block, by its RFC 8878: "hello". */
const ZSTD = Buffer.from('28b52ffd2005290000' + '68656c6c6f', 'hex');

test('gzip and zlib are found by their first bytes', () => {
  assert.equal(decompress(gzipSync(TEXT)), { format: 'gzip', data: TEXT });
  assert.equal(decompress(deflateSync(TEXT)), { format: 'zlib', data: TEXT });
});

test('a stream of snappy-java is found by its first bytes, and must be whole', () => {
  const data = Buffer.concat([SNAPPY_HEADER, packChunk(TEXT)]);
  assert.equal(decompress(data), { format: 'snappy', data: TEXT });
  assert.is(decompress(data.subarray(0, -1)), undefined);
  const zeros = packChunk(Buffer.alloc(1024 * 1024));
  const bomb = Buffer.concat([SNAPPY_HEADER, ...new Array<Buffer>(65).fill(zeros)]);
  assert.is(decompress(bomb), undefined);
});

test('zstd is read where Node.js can, and is left alone elsewhere', () => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const canRead = major > 23 || (major === 23 && minor >= 8) || (major === 22 && minor >= 15);
  assert.is(decompress(ZSTD)?.data.toString(), canRead ? 'hello' : undefined);
});

test('damaged and other data are left alone', () => {
  for (const data of [
    gzipSync(TEXT).subarray(0, 30),
    TEXT,
    Buffer.alloc(0),
    Buffer.from('xhello'),
  ]) {
    assert.is(decompress(data), undefined);
  }
});

test('a small value that stands for too much is left alone', () => {
  assert.is(decompress(gzipSync(Buffer.alloc(65 * 1024 * 1024))), undefined);
});

test('a terminal shows what compressed data says; a program gets the bytes', async () => {
  const data = gzipSync('hello');
  const result = { kind: 'data', path: '/a', data, view: 'text' } as const;
  const terminal = await loadRenderer('text', { isTerminal: true });
  assert.is(terminal.result(result).toString(), `hello\n(gzip, ${data.length} bytes for 5)\n`);
  const pipe = await loadRenderer('text', { isTerminal: false });
  assert.equal(pipe.result(result), Buffer.concat([data, Buffer.from('\n')]));
});

test('get -z decompresses for a program, and refuses other data', async () => {
  const world = makeShellWorld();
  await world.client.setData('/a', gzipSync('hello'), -1);
  assert.is(await world.run('get -z /a'), 'hello\n');
  await world.run('set /a plain');
  const { error } = await world.runFully('get -z /a');
  assert.match(error?.sentence ?? '', /^\/a: data is not compressed/);
});

test.run();
