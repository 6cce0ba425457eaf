/**
 * A server truncates the remains of an incomplete last write and starts. It refuses any other
 * damage with the file and the offset, because the damaged part may hold acknowledged writes.
 */
import {
  closeSync,
  copyFileSync,
  cpSync,
  openSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../src/protocol/op-code.js';
import { OPEN_ACL_UNSAFE } from '../../src/protocol/perms.js';
import { ExitCode, ServerError } from '../../src/server/main.js';
import { runZkserver, startBundled } from '../support/bundled.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { Random } from '../support/random.js';
import { RawClient } from './support/raw-client.js';

const ZNODES = 60;
const LOG_HEADER_SIZE = 16;
/** Each entry has its checksum (8) and its length (4) before it, and one byte after it. */
const RECORD_PREFIX_SIZE = 12;

interface Written {
  readonly dataDir: string;
  /** The name of its only log. */
  readonly log: string;
  /** The start of each record, and the end of the last. */
  readonly offsets: readonly number[];
  remove(): void;
}

/** A data directory with one log: a session, then the znodes /n0 /n1 …, data of growing length. */
async function writeLog(): Promise<Written> {
  const home = makeTempDir('torn');
  const dataDir = join(home.path, 'data');
  const server = await startBundled({ dataDir });
  const client = await RawClient.connect(server.port);
  for (let i = 0; i < ZNODES; i++) await create(client, `/n${i}`, i * 20);
  await client.drop();
  await server.close();
  const [log = ''] = logsIn(dataDir);
  return { dataDir, log, offsets: recordOffsets(logPath(dataDir, log)), remove: home.remove };
}

async function create(client: RawClient, path: string, length: number): Promise<void> {
  // Never a zero byte: a zero in the file was not written, or is the upper half of a number.
  const data = Buffer.alloc(length, 'abcdefghij');
  const value = { path, data, acl: OPEN_ACL_UNSAFE, flags: 0 };
  assert.is((await client.call(OpCode.create, value)).err, 0, path);
}

function logsIn(dataDir: string): string[] {
  return readdirSync(join(dataDir, 'version-2')).filter((name) => name.startsWith('log.'));
}

function logPath(dataDir: string, log: string): string {
  return join(dataDir, 'version-2', log);
}

function recordOffsets(path: string): number[] {
  const bytes = readFileSync(path);
  const offsets = [LOG_HEADER_SIZE];
  for (let at = LOG_HEADER_SIZE; at + RECORD_PREFIX_SIZE <= bytes.length; ) {
    const length = bytes.readInt32BE(at + 8);
    if (length === 0) break;
    at += RECORD_PREFIX_SIZE + length + 1;
    offsets.push(at);
  }
  return offsets;
}

/**
 * Copies the directory, damages the copy, and returns the number of znodes that a server finds.
 */
async function surviving(
  written: Written,
  harm: (path: string) => void,
): Promise<{ count: number; warnings: string[] }> {
  const copy = makeTempDir('torn-copy');
  try {
    cpSync(written.dataDir, copy.path, { recursive: true });
    harm(logPath(copy.path, written.log));
    const warnings: string[] = [];
    const count = await countAndWriteOn(copy.path, warnings);
    // A second start finds the write after the truncation.
    assert.is(await countAndWriteOn(copy.path, []), count + 1);
    return { count, warnings };
  } finally {
    copy.remove();
  }
}

/** Counts the znodes, which must be the first ones without a gap, and writes one more. */
async function countAndWriteOn(dataDir: string, warnings: string[]): Promise<number> {
  const server = await startBundled({ dataDir, onWarning: (text) => warnings.push(text) });
  try {
    const client = await RawClient.connect(server.port);
    const { value } = await client.call(OpCode.getChildren, { path: '/', watch: false });
    const { children } = value as { children: readonly string[] };
    const count = children.length - 1;
    for (let i = 0; i < count; i++) assert.ok(children.includes(`n${i}`), `/n${i} of ${count}`);
    await create(client, `/n${count}`, 10);
    await client.close();
    return count;
  } finally {
    await server.close();
  }
}

/**
 * The number of znodes with a complete record if the log ends at `end`. The first record is that
 * of the session.
 */
function wholeAt({ offsets }: Written, end: number): number {
  return Math.max(0, offsets.filter((offset) => offset <= end).length - 2);
}

test('a log truncated anywhere in its tail is a shorter log', async () => {
  const written = await writeLog();
  const random = new Random(5);
  try {
    const end = written.offsets.at(-1) ?? 0;
    const from = written.offsets.at(-6) ?? 0;
    const places = [
      ...Array.from({ length: 12 }, () => from + random.below(end - from)),
      end - 1,
      LOG_HEADER_SIZE,
      LOG_HEADER_SIZE + 5,
    ];
    for (const place of places) {
      const { count } = await surviving(written, (path) => truncateSync(path, place));
      assert.is(count, wholeAt(written, place), `cut at ${place}`);
    }
  } finally {
    written.remove();
  }
});

test('a last write missing in the preallocated zeros is truncated, and reported', async () => {
  const written = await writeLog();
  const random = new Random(6);
  try {
    const end = written.offsets.at(-1) ?? 0;
    const last = written.offsets.at(-2) ?? 0;
    for (let i = 0; i < 8; i++) {
      const place = last + 1 + random.below(end - last - 1);
      const { count, warnings } = await surviving(written, (path) => {
        overwrite(path, place, Buffer.alloc(end - place + 4096));
      });
      assert.is(count, ZNODES - 1, `zeros from ${place}`);
      // A record of zeros only leaves nothing to report.
      if (place > last + 8) {
        assert.match(warnings.join(), written.log);
        assert.match(warnings.join(), `offset ${last}`);
      }
    }
  } finally {
    written.remove();
  }
});

test('a record damaged before the end is refused with file and offset', async () => {
  const written = await writeLog();
  const random = new Random(7);
  const copy = makeTempDir('torn-copy');
  const { offsets, log, dataDir } = written;
  try {
    cpSync(dataDir, copy.path, { recursive: true });
    const path = logPath(copy.path, log);
    for (let i = 0; i < 12; i++) {
      const index = 1 + random.below(offsets.length - 3);
      const start = offsets[index] ?? 0;
      const length = (offsets[index + 1] ?? 0) - start;
      // After the length: another byte there would be another record.
      const place = start + RECORD_PREFIX_SIZE + random.below(length - RECORD_PREFIX_SIZE - 1);
      copyFileSync(logPath(dataDir, log), path);
      flip(path, place);
      try {
        const server = await startBundled({ dataDir: copy.path });
        await server.close();
        assert.unreachable(`started with a flipped byte at ${place}`);
      } catch (error) {
        assert.instance(error, ServerError);
        const { code, message } = error as ServerError;
        assert.is(code, 'EDATA');
        assert.match(message, path);
        assert.match(message, `offset ${start}`);
      }
    }
    const { ended, output } = runZkserver(['start-foreground', '0', copy.path]);
    assert.is(await ended, ExitCode.DATA);
    assert.match(output(), path);
    assert.match(output(), /corrupt at offset \d+/);
    assert.is(output().trim().split('\n').length, 1, 'one sentence');
  } finally {
    copy.remove();
    written.remove();
  }
});

function overwrite(path: string, offset: number, bytes: Buffer): void {
  const file = openSync(path, 'r+');
  writeSync(file, bytes, 0, bytes.length, offset);
  closeSync(file);
}

function flip(path: string, offset: number): void {
  const byte = readFileSync(path)[offset] ?? 0;
  overwrite(path, offset, Buffer.from([byte ^ 0x41]));
}

test.run();
