import { InputArchive } from '../../../src/jute/input-archive.js';
import { OutputArchive } from '../../../src/jute/output-archive.js';
import { OpCode, opCodeName } from '../../../src/protocol/op-code.js';
import { OPERATION_TABLE } from '../../../src/protocol/operation-table.js';
import { ErrorResponse, MultiHeader, REPLIES } from '../../support/bytes/jute-records.js';
import type { Op } from './world.js';

/**
 * The body of a request.
 * @param zxidAtStart the base of `relativeZxid`
 */
export function encodeOp(op: Op, zxidAtStart: bigint): Buffer {
  const whole = op.ops === undefined ? encodeRecord(op, zxidAtStart) : encodeMulti(op.ops);
  return op.cut === undefined ? whole : whole.subarray(0, op.cut);
}

function encodeRecord({ type, value = {} }: Op, zxidAtStart: bigint): Buffer {
  const request = OPERATION_TABLE.get(type)?.request;
  if (request === undefined) return Buffer.alloc(0);
  const { relativeZxid } = value;
  if (typeof relativeZxid !== 'bigint') return request.encode(value);
  return request.encode({ ...value, relativeZxid: zxidAtStart + relativeZxid });
}

function encodeMulti(ops: readonly Op[]): Buffer {
  const out = new OutputArchive();
  for (const op of ops) {
    MultiHeader.write(out, { type: op.type, done: false, err: -1 });
    out.writeBytes(encodeRecord(op, 0n));
  }
  MultiHeader.write(out, { type: -1, done: true, err: -1 });
  return out.take();
}

/** Shows one value of a response, with a name for values that two servers cannot share. */
export type Show = (key: string, value: unknown) => unknown;

/** The body of a successful reply as text. Bytes beyond its records are shown in hex. */
export function describeBody(type: number, body: Buffer, show: Show): string {
  const input = new InputArchive(body);
  const text =
    type === OpCode.multi || type === OpCode.multiRead
      ? describeMulti(input, show)
      : describeRecord(type, input, show);
  const rest = body.subarray(input.at);
  return rest.length === 0 ? text : `${text} +${rest.toString('hex')}`;
}

function describeRecord(type: number, input: InputArchive, show: Show): string {
  const reply = REPLIES.get(type);
  if (reply === undefined || input.remaining === 0) return '';
  return JSON.stringify(shown('', reply.read(input), show));
}

function describeMulti(input: InputArchive, show: Show): string {
  const results: string[] = [];
  for (;;) {
    const { type, done, err } = MultiHeader.read(input);
    if (done) return `[${results.join(', ')}] end(${type},${err})`;
    const body =
      type === OpCode.error
        ? ErrorResponse.read(input).err
        : describeRecord(type, hasResult(type) ? input : NOTHING, show);
    results.push(`${opCodeName(type)}(${err}) ${body}`);
  }
}

const NOTHING = new InputArchive(Buffer.alloc(0));

function hasResult(type: number): boolean {
  return type !== OpCode.delete && type !== OpCode.check;
}

/**
 * Sorts values whose order a server does not promise. Apache keeps the ids of a connection, and
 * the entries of `auth`, in hash sets. differential-cases.test.ts checks the order of ACLs.
 */
const UNORDERED: ReadonlySet<string> = new Set(['acl', 'children', 'clientInfo', 'ephemerals']);

function shown(key: string, value: unknown, show: Show): unknown {
  if (Buffer.isBuffer(value)) return `0x${value.toString('hex')}`;
  if (Array.isArray(value)) {
    const items = value.map((item) => shown(key, item, show));
    return UNORDERED.has(key) ? sorted(items) : items;
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, shown(name, inner, show)]),
    );
  }
  const seen = show(key, value);
  return typeof seen === 'bigint' ? String(seen) : seen;
}

function sorted(items: readonly unknown[]): unknown[] {
  return items
    .map((item) => [JSON.stringify(item), item] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, item]) => item);
}
