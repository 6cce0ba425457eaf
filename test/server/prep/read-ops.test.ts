import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InputArchive } from '../../../src/jute/input-archive.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { readOps, txnLengthBound } from '../../../src/server/prep/read-ops.js';
import { draftAudit } from '../../../src/server/state/audit.js';
import { ByteBuilder } from '../../support/bytes/byte-builder.js';

const TTL = 5;
const SEQUENTIAL_TTL = 6;
const CONTAINER = 4;
const UNKNOWN = 99;

function op(type: number, flags: number, ttl?: bigint): Buffer {
  const part = new ByteBuilder().int(type).bool(false).int(-1).string('/n').buffer(null);
  part.vector([0], (entry) => entry.int(31).string('world').string('anyone')).int(flags);
  return (ttl === undefined ? part : part.long(ttl)).build();
}

/** The types for prep of a multi with a delete after these parts; undefined if it is refused. */
function typesOf(...parts: Buffer[]): number[] | undefined {
  const last = new ByteBuilder().int(OpCode.delete).bool(false).int(-1).string('/d').int(-1);
  const body = Buffer.concat([...parts, last.int(-1).bool(true).int(-1).build()]);
  const input = new InputArchive(body);
  const ops = readOps(input);
  if (ops !== undefined) {
    assert.is(input.remaining, 0);
    assert.is(ops.at(-1)?.body.remaining, 4 + 2 + 4);
  }
  return ops?.map(({ type }) => type);
}

for (const [what, part, type] of [
  ['create', op(OpCode.create, 0), OpCode.create],
  ['create2', op(OpCode.create2, 1), OpCode.create2],
  ['create of a container', op(OpCode.create, CONTAINER), OpCode.createContainer],
  ['createContainer', op(OpCode.createContainer, CONTAINER), OpCode.createContainer],
  ['createTTL', op(OpCode.createTTL, TTL, 9n), OpCode.createTTL],
  ['createTTL of a sequential znode', op(OpCode.createTTL, SEQUENTIAL_TTL, 9n), OpCode.createTTL],
  ['createTTL of a plain znode', op(OpCode.createTTL, 0, 9n), OpCode.create],
  ['createTTL of a container', op(OpCode.createTTL, CONTAINER, 9n), OpCode.createContainer],
  ['createTTL of an unknown mode', op(OpCode.createTTL, UNKNOWN, 9n), OpCode.create],
  ['create with the mode of createTTL', op(OpCode.create, TTL), undefined],
  ['create of an unknown mode', op(OpCode.create, UNKNOWN), undefined],
  ['a type that no multi has', op(OpCode.getData, 0), undefined],
] as const) {
  test(`a multi with ${what}`, () => {
    assert.equal(typesOf(part), type === undefined ? undefined : [type, OpCode.delete]);
  });
}

test('each part ends where the next one begins', () => {
  const [first, second] = [op(OpCode.create, 0), op(OpCode.createTTL, TTL, 9n)];
  const end = new ByteBuilder().int(-1).bool(true).int(-1).build();
  const ops = readOps(new InputArchive(Buffer.concat([first, second, end]))) ?? [];
  const header = 4 + 1 + 4;
  assert.equal(
    ops.map(({ body }) => body.remaining),
    [first.length - header, second.length - header],
  );
  assert.is(readOps(new InputArchive(Buffer.concat([first, second]))), undefined, 'no end');
});

test('the bound of a request that nobody can read is that of its bytes', () => {
  const ids = [{ scheme: 'digest', id: 'bob:hash' }];
  const torn = op(OpCode.create, 0).subarray(9, 30);
  const bound = (type: number) => txnLengthBound(type, new InputArchive(torn), ids, 0);
  assert.is(bound(OpCode.create), torn.length + 128 + 16);
  assert.is(bound(OpCode.multi), torn.length + 128);
});

test('the audit of a request that nobody can read has only its operation', () => {
  const torn = op(OpCode.create, 0).subarray(9, 12);
  const draft = draftAudit(OpCode.create, new InputArchive(torn));
  assert.equal(Object.keys(draft), ['operation']);
});

test.run();
