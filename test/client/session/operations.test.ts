import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { OpResult } from '../../../src/client/base/client.js';
import { MultiError } from '../../../src/client/base/errors.js';
import { type MultiOp, multi } from '../../../src/client/calls/multi.js';
import * as operations from '../../../src/client/session/operations.js';
import type { Operation } from '../../../src/client/session/request.js';
import { InputArchive } from '../../../src/jute/input-archive.js';
import { JuteError } from '../../../src/jute/jute-error.js';
import { OutputArchive } from '../../../src/jute/output-archive.js';
import { Stat } from '../../../src/protocol/data.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { OPERATION_TABLE } from '../../../src/protocol/operation-table.js';
import { OPEN_ACL_UNSAFE } from '../../../src/protocol/perms.js';
import { REPLIES } from '../../support/bytes/jute-records.js';
import { byte, bytes, int, long, stat } from '../session-harness.js';

// The operations are hand-written for speed. Compares each with the records of protocol/proto.ts:
// the record reads what the operation writes, and the reverse.

const RECORD = {
  czxid: 0x1_0000_0002n,
  mzxid: 3n,
  ctime: 4n,
  mtime: 5n,
  version: 6,
  cversion: -7,
  aversion: 8,
  ephemeralOwner: -9n,
  dataLength: 10,
  numChildren: 11,
  pzxid: -1n,
};
const STAT = new Stat(RECORD);
const acl = OPEN_ACL_UNSAFE;
const data = Buffer.from('value');
const chroot = '/app';

interface Case {
  readonly operation: Operation<never, unknown>;
  readonly args: unknown;
  readonly request: unknown;
  readonly reply?: unknown;
  readonly value?: unknown;
}

const create = { chroot, path: '/app/a', data, acl, flags: 1, ttl: 500 };
const created = { reply: { path: '/app/a', stat: RECORD }, value: { path: '/a', stat: STAT } };
const createRequest = { path: '/app/a', data, acl, flags: 1 };

const CASES: Readonly<Record<string, Case>> = {
  create: { operation: operations.create, args: create, request: createRequest, ...created },
  'create with null': {
    operation: operations.create,
    args: { ...create, data: null },
    request: { ...createRequest, data: null },
  },
  createContainer: {
    operation: operations.createContainer,
    args: create,
    request: createRequest,
    ...created,
  },
  createTTL: {
    operation: operations.createTTL,
    args: create,
    request: { ...createRequest, ttl: 500n },
    ...created,
  },
  delete: {
    operation: operations.deleteNode,
    args: { path: '/a', version: 3 },
    request: { path: '/a', version: 3 },
    reply: {},
    value: undefined,
  },
  exists: {
    operation: operations.exists,
    args: { path: '/a', watch: true },
    request: { path: '/a', watch: true },
    reply: { stat: RECORD },
    value: STAT,
  },
  getData: {
    operation: operations.getData,
    args: { path: '/ä€', watch: false },
    request: { path: '/ä€', watch: false },
    reply: { data, stat: RECORD },
    value: { data, stat: STAT },
  },
  'getData of null': {
    operation: operations.getData,
    args: { path: '/a', watch: false },
    request: { path: '/a', watch: false },
    reply: { data: null, stat: RECORD },
    value: { data: null, stat: STAT },
  },
  setData: {
    operation: operations.setData,
    args: { path: '/a', data, version: -1 },
    request: { path: '/a', data, version: -1 },
    reply: { stat: RECORD },
    value: STAT,
  },
  getACL: {
    operation: operations.getACL,
    args: { path: '/a' },
    request: { path: '/a' },
    reply: { acl, stat: RECORD },
    value: { acl, stat: STAT },
  },
  setACL: {
    operation: operations.setACL,
    args: { path: '/a', acl, version: 2 },
    request: { path: '/a', acl, version: 2 },
    reply: { stat: RECORD },
    value: STAT,
  },
  getChildren: {
    operation: operations.getChildren,
    args: { path: '/', watch: true },
    request: { path: '/', watch: true },
    reply: { children: ['b', 'a'], stat: RECORD },
    value: { children: ['b', 'a'], stat: STAT },
  },
  getAllChildrenNumber: {
    operation: operations.getAllChildrenNumber,
    args: { path: '/' },
    request: { path: '/' },
    reply: { totalNumber: 5 },
    value: 5,
  },
  getEphemerals: {
    operation: operations.getEphemerals,
    args: { path: '/app', chroot },
    request: { prefixPath: '/app' },
    reply: { ephemerals: ['/app/e', '/app'] },
    value: ['/e', '/'],
  },
  sync: {
    operation: operations.sync,
    args: { path: '/a' },
    request: { path: '/a' },
    reply: { path: '/a' },
    value: undefined,
  },
  whoAmI: {
    operation: operations.whoAmI,
    args: undefined,
    request: {},
    reply: { clientInfo: [{ authScheme: 'ip', user: '::1' }] },
    value: [{ authScheme: 'ip', user: '::1' }],
  },
  addWatch: {
    operation: operations.addPersistentWatch,
    args: { path: '/a', mode: 1 },
    request: { path: '/a', mode: 1 },
    reply: { err: 0 },
    value: undefined,
  },
  removeWatches: {
    operation: operations.removeWatches,
    args: { path: '/a', type: 3, removed: () => undefined },
    request: { path: '/a', type: 3 },
    reply: {},
    value: undefined,
  },
  reconfig: {
    operation: operations.reconfig,
    args: { joining: 'j', leaving: '', members: 'm', fromConfig: -1n },
    request: { joiningServers: 'j', leavingServers: '', newMembers: 'm', curConfigId: -1n },
    reply: { data, stat: RECORD },
    value: { data, stat: STAT },
  },
  closeSession: {
    operation: operations.closeSession,
    args: undefined,
    request: {},
    reply: {},
    value: undefined,
  },
};

for (const [name, { operation, args, request, reply, value }] of Object.entries(CASES)) {
  test(`${name} matches the protocol's records`, () => {
    const sent = OPERATION_TABLE.get(operation.code)?.request;
    const replied = REPLIES.get(operation.code);
    if (sent === undefined || replied === undefined) throw new Error(`no ${operation.code}`);
    const out = new OutputArchive();
    operation.write(out, args as never);
    assert.equal(sent.decode(Buffer.from(out.view())), request);
    if (reply === undefined) return;
    const body = replied.encode(reply);
    assert.equal(operation.read(new InputArchive(body), args as never), value);
  });
}

test('a returned value is a copy of the received bytes', () => {
  const body = Buffer.concat([bytes('abc'), stat()]);
  const args = { path: '/a', watch: false };
  const { data: kept } = operations.getData.read(new InputArchive(body), args);
  body.fill(0);
  assert.equal(kept, Buffer.from('abc'));
});

const OPS: readonly MultiOp[] = [
  { op: 'create', code: OpCode.create, args: { ...create, data: null, acl: [] } },
  { op: 'create', code: OpCode.createTTL, args: { ...create, data: null, acl: [] } },
  { op: 'set', code: OpCode.setData, args: { path: '/app/s', data: null, version: 1 } },
  { op: 'delete', code: OpCode.delete, args: { path: '/app/d', version: 2 } },
  { op: 'check', code: OpCode.check, args: { path: '/app/c', version: 3 } },
];
const ARGS = { ops: OPS, paths: ['/a', '/a', '/s', '/d', '/c'], chroot };

test('multi writes each operation after its header, and an end', () => {
  const out = new OutputArchive();
  multi.write(out, ARGS);
  const header = (type: number) => Buffer.concat([int(type), byte(0), int(-1)]);
  const created = Buffer.concat([bytes('/app/a'), int(-1), int(0), int(1)]);
  assert.equal(
    Buffer.from(out.view()),
    Buffer.concat([
      header(1),
      created,
      header(21),
      created,
      long(500n),
      header(5),
      bytes('/app/s'),
      int(-1),
      int(1),
      header(2),
      bytes('/app/d'),
      int(2),
      header(13),
      bytes('/app/c'),
      int(3),
      int(-1),
      byte(1),
      int(-1),
    ]),
  );
});

const END = Buffer.concat([int(-1), byte(1), int(-1)]);
const done = (type: number, ...body: Buffer[]) =>
  Buffer.concat([int(type), byte(0), int(0), ...body]);
const failed = (err: number) => Buffer.concat([int(-1), byte(0), int(err), int(err)]);
const readMulti = (...parts: Buffer[]): readonly OpResult[] =>
  multi.read(new InputArchive(Buffer.concat([...parts, END])), ARGS);

test('multi reads a result for each operation', () => {
  const results = readMulti(
    done(1, bytes('/app/a')),
    done(15, bytes('/app/a'), stat(4)),
    done(5, stat(2)),
    done(2),
    done(13),
  );
  assert.equal(
    results.map((result) => ('path' in result ? [result.op, result.path] : [result.op])),
    [['create', '/a'], ['create', '/a'], ['set'], ['delete'], ['check']],
  );
});

test('multi throws an error that names the failed operation and the reason', () => {
  try {
    readMulti(failed(0), failed(0), failed(-103), failed(-2), failed(-2));
    assert.unreachable();
  } catch (error) {
    if (!(error instanceof MultiError)) throw error;
    assert.is(error.code, 'BADVERSION');
    assert.is(error.index, 2);
    assert.is(error.path, '/s');
    assert.equal(error.results, [0, 0, -103, -2, -2]);
  }
});

test('multi refuses a reply with too few results, or with one of an unknown type', () => {
  assert.throws(
    () => readMulti(done(2)),
    (error: unknown) => error instanceof JuteError,
  );
  assert.throws(
    () => readMulti(done(99)),
    (error: unknown) => error instanceof JuteError,
  );
});

test.run();
