// Reads a log of any length in constant memory. Continues after a record with a wrong checksum if
// its frame is whole, because an operator needs to know all the damage.

import { encodeLogHeader, type LogItem, TxnLogReader } from '../../files/txn-log.js';
import { DamagedBytes, type OpenFile, openPlain, type ReadHandle } from './open-file.js';
import { reading } from './reading.js';

const READ_SIZE = 1024 * 1024;
const HEADER_SIZE = 16;
const PREFIX_SIZE = 12;
const MIN_ENTRY_SIZE = 32;
const END_OF_RECORD = 0x42;
/** The reading ends after this many damaged records. */
const MAX_DAMAGED = 100;
/** Twice jute.maxbuffer: by default, servers accept no longer entry. */
export const DEFAULT_MAX_ENTRY = 2 * 0xfffff;

/** The next record overwrites the view `entry`. */
export interface LogRecord {
  readonly offset: number;
  readonly zxid: bigint;
  readonly entry: Buffer;
  /** The reason not to trust a record with a whole frame. */
  readonly damage: string | undefined;
}

/** The kind `end` means no damage; padding may follow. */
export interface LogEnding {
  readonly kind: 'end' | 'torn' | 'corrupt';
  /** After the last readable record. */
  readonly offset: number;
  readonly reason: string;
}

export interface ReadLogOptions {
  /** The start of a record; without it, the first record. */
  readonly from?: number;
  readonly open?: OpenFile | undefined;
  readonly maxEntry: number;
  readonly signal: AbortSignal;
  readonly onBytes: (done: number) => void;
}

export async function* readLog<Value>(
  path: string,
  map: (record: LogRecord) => Value | undefined,
  options: ReadLogOptions,
): AsyncGenerator<Value[], LogEnding, undefined> {
  const handle = await reading(path, (options.open ?? openPlain)(path));
  try {
    let from = options.from ?? 0;
    for (let damaged = 0; ; damaged++) {
      const ending = yield* readStretch(handle, path, from, map, options);
      if (ending.kind !== 'corrupt' || damaged === MAX_DAMAGED) return ending;
      const record = await damagedRecord(handle, ending, options.maxEntry);
      if (record === undefined) return ending;
      const value = map(record);
      if (value !== undefined) yield [value];
      from = record.offset + PREFIX_SIZE + record.entry.length + 1;
    }
  } finally {
    await handle.close();
  }
}

/** A part inside the file gets a separate header. */
async function* readStretch<Value>(
  handle: ReadHandle,
  path: string,
  from: number,
  map: (record: LogRecord) => Value | undefined,
  { maxEntry, signal, onBytes }: ReadLogOptions,
): AsyncGenerator<Value[], LogEnding, undefined> {
  const reader = new TxnLogReader(maxEntry);
  // The reader counts offsets from its header.
  const shift = from === 0 ? 0 : from - HEADER_SIZE;
  if (from > 0) reader.push(encodeLogHeader());
  const chunks = [Buffer.allocUnsafe(READ_SIZE), Buffer.allocUnsafe(READ_SIZE)] as const;
  let position = from;
  let turn: 0 | 1 = 0;
  const read = (chunk: Buffer) => handle.read(chunk, 0, READ_SIZE, position);
  // Parses one chunk while it reads the other.
  let pending = read(chunks[turn]);
  for (;;) {
    const batch: Value[] = [];
    const item = takeRecords(reader, shift, map, batch);
    if (batch.length > 0) yield batch;
    signal.throwIfAborted();
    if (item.kind !== 'need-more') {
      await pending.catch(() => undefined);
      const reason = item.kind === 'end' ? '' : item.reason;
      return { kind: item.kind, offset: item.offset + shift, reason };
    }
    const got = await reading(path, pending.catch(asDamage));
    if (got instanceof DamagedBytes) {
      return { kind: 'corrupt', offset: got.offset, reason: got.message };
    }
    const { bytesRead } = got;
    const chunk = chunks[turn];
    position += bytesRead;
    onBytes(position);
    if (bytesRead === 0) reader.end();
    else reader.push(chunk.subarray(0, bytesRead));
    turn = turn === 0 ? 1 : 0;
    pending = read(chunks[turn]);
    // The loop below reports a read error in order.
    pending.catch(() => undefined);
  }
}

function asDamage(error: unknown): DamagedBytes {
  if (error instanceof DamagedBytes) return error;
  throw error;
}

function takeRecords<Value>(
  reader: TxnLogReader,
  shift: number,
  map: (record: LogRecord) => Value | undefined,
  batch: Value[],
): Exclude<LogItem, { kind: 'entry' }> {
  for (;;) {
    const item = reader.next();
    if (item.kind !== 'entry') return item;
    const { zxid, entry } = item;
    const value = map({ offset: item.offset + shift, zxid, entry, damage: undefined });
    if (value !== undefined) batch.push(value);
  }
}

/** Undefined unless the length leads to the end mark of the record. */
async function damagedRecord(
  handle: ReadHandle,
  { offset, reason }: LogEnding,
  maxEntry: number,
): Promise<LogRecord | undefined> {
  if (offset < HEADER_SIZE) return undefined;
  const prefix = await bytesAt(handle, offset, PREFIX_SIZE);
  if (prefix === undefined) return undefined;
  const length = prefix.readInt32BE(8);
  if (length < MIN_ENTRY_SIZE || length > maxEntry) return undefined;
  const rest = await bytesAt(handle, offset + PREFIX_SIZE, length + 1);
  if (rest?.[length] !== END_OF_RECORD) return undefined;
  const entry = rest.subarray(0, length);
  return { offset, zxid: entry.readBigInt64BE(12), entry, damage: reason };
}

async function bytesAt(
  handle: ReadHandle,
  offset: number,
  length: number,
): Promise<Buffer | undefined> {
  const bytes = Buffer.alloc(length);
  const got = await handle.read(bytes, 0, length, offset).catch(asDamage);
  return 'bytesRead' in got && got.bytesRead === length ? bytes : undefined;
}
