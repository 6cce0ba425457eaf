import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RecordType } from '../../src/jute/record.js';
import * as data from '../../src/protocol/data.js';
import { KeeperOpCode } from '../../src/protocol/keeper-dialect.js';
import { OpCode } from '../../src/protocol/op-code.js';
import { OPERATION_TABLE } from '../../src/protocol/operation-table.js';
import * as persistence from '../../src/protocol/persistence.js';
import * as proto from '../../src/protocol/proto.js';
import * as txn from '../../src/protocol/txn.js';
import { ByteBuilder } from '../support/bytes/byte-builder.js';
import * as jute from '../support/bytes/jute-records.js';

// The layouts of zookeeper.jute, field by field: each record is written by the declaration and by
// hand, and must give the same bytes.

const STAT = {
  czxid: 1n,
  mzxid: 2n,
  ctime: 3n,
  mtime: 4n,
  version: 5,
  cversion: 6,
  aversion: 7,
  ephemeralOwner: -8n,
  dataLength: 9,
  numChildren: 10,
  pzxid: 11n,
};
const ACL = [
  { perms: 31, id: { scheme: 'world', id: 'anyone' } },
  { perms: 1, id: { scheme: 'digest', id: 'u:x' } },
];
const DATA = Buffer.from([0, 255]);

function build(): ByteBuilder {
  return new ByteBuilder();
}

function stat(bytes: ByteBuilder): ByteBuilder {
  return bytes
    .long(1n)
    .long(2n)
    .long(3n)
    .long(4n)
    .int(5)
    .int(6)
    .int(7)
    .long(-8n)
    .int(9)
    .int(10)
    .long(11n);
}

function acl(bytes: ByteBuilder): ByteBuilder {
  return bytes.vector(ACL, (b, { perms, id }) => b.int(perms).string(id.scheme).string(id.id));
}

function check<T>(type: RecordType<T>, value: T, bytes: ByteBuilder): void {
  test(`${type.name} as bytes`, () => {
    assert.equal(type.encode(value), bytes.build());
    assert.equal(type.decode(bytes.build()), value);
  });
}

const passwd = Buffer.alloc(16, 7);
check(
  jute.ConnectRequest,
  { protocolVersion: 0, lastZxidSeen: 5n, timeOut: 4000, sessionId: -1n, passwd, readOnly: true },
  build().int(0).long(5n).int(4000).long(-1n).buffer(passwd).bool(true),
);
check(
  jute.ConnectResponse,
  { protocolVersion: 0, timeOut: 4000, sessionId: -1n, passwd, readOnly: false },
  build().int(0).int(4000).long(-1n).buffer(passwd).bool(false),
);
check(jute.RequestHeader, { xid: -2, type: 11 }, build().int(-2).int(11));
check(jute.ReplyHeader, { xid: 1, zxid: 2n, err: -101 }, build().int(1).long(2n).int(-101));
check(jute.MultiHeader, { type: -1, done: true, err: -1 }, build().int(-1).bool(true).int(-1));
check(jute.ErrorResponse, { err: -2 }, build().int(-2));
check(jute.WatcherEvent, { type: 3, state: 3, path: '/a' }, build().int(3).int(3).string('/a'));
check(proto.PathRequest, { path: '/a' }, build().string('/a'));
check(proto.PathWatchRequest, { path: '/a', watch: true }, build().string('/a').bool(true));
check(
  proto.CreateRequest,
  { path: '/a', data: DATA, acl: ACL, flags: 3 },
  acl(build().string('/a').buffer(DATA)).int(3),
);
check(
  proto.CreateTTLRequest,
  { path: '/a', data: null, acl: [], flags: 5, ttl: 60_000n },
  build().string('/a').buffer(null).int(0).int(5).long(60_000n),
);
check(jute.CreateResponse, { path: '/a' }, build().string('/a'));
check(jute.Create2Response, { path: '/a', stat: STAT }, stat(build().string('/a')));
check(proto.DeleteRequest, { path: '/a', version: -1 }, build().string('/a').int(-1));
check(proto.CheckVersionRequest, { path: '/a', version: 2 }, build().string('/a').int(2));
check(jute.ExistsResponse, { stat: STAT }, stat(build()));
check(jute.GetDataResponse, { data: DATA, stat: STAT }, stat(build().buffer(DATA)));
check(
  proto.SetDataRequest,
  { path: '/a', data: DATA, version: 1 },
  build().string('/a').buffer(DATA).int(1),
);
check(jute.SetDataResponse, { stat: STAT }, stat(build()));
check(jute.GetACLResponse, { acl: ACL, stat: STAT }, stat(acl(build())));
check(proto.SetACLRequest, { path: '/a', acl: ACL, version: 1 }, acl(build().string('/a')).int(1));
check(jute.SetACLResponse, { stat: STAT }, stat(build()));
check(
  jute.GetChildrenResponse,
  { children: ['a', 'b'] },
  build().vector(['a', 'b'], (b, name) => b.string(name)),
);
check(jute.GetChildren2Response, { children: [], stat: STAT }, stat(build().int(0)));
check(jute.SyncResponse, { path: '/' }, build().string('/'));
check(proto.GetEphemeralsRequest, { prefixPath: '/' }, build().string('/'));
check(jute.GetEphemeralsResponse, { ephemerals: ['/e'] }, build().int(1).string('/e'));
check(jute.GetAllChildrenNumberResponse, { totalNumber: 7 }, build().int(7));
check(
  proto.ReconfigRequest,
  { joiningServers: 'a', leavingServers: 'b', newMembers: '', curConfigId: -1n },
  build().string('a').string('b').string('').long(-1n),
);
check(
  proto.AuthPacket,
  { type: 0, scheme: 'digest', auth: DATA },
  build().int(0).string('digest').buffer(DATA),
);
check(proto.GetSASLRequest, { token: DATA }, build().buffer(DATA));
check(jute.SetSASLResponse, { token: null }, build().buffer(null));
check(
  proto.WhoAmIResponse,
  { clientInfo: [{ authScheme: 'ip', user: '127.0.0.1' }] },
  build().int(1).string('ip').string('127.0.0.1'),
);
check(proto.AddWatchRequest, { path: '/a', mode: 1 }, build().string('/a').int(1));
check(proto.WatchesRequest, { path: '/a', type: 3 }, build().string('/a').int(3));
check(
  proto.SetWatches,
  { relativeZxid: 9n, dataWatches: ['/d'], existWatches: [], childWatches: ['/c'] },
  build().long(9n).int(1).string('/d').int(0).int(1).string('/c'),
);
check(
  proto.SetWatches2,
  {
    relativeZxid: 9n,
    dataWatches: ['/d'],
    existWatches: ['/e'],
    childWatches: ['/c'],
    persistentWatches: ['/p'],
    persistentRecursiveWatches: ['/r'],
  },
  ['/d', '/e', '/c', '/p', '/r'].reduce((b, path) => b.int(1).string(path), build().long(9n)),
);
check(
  data.StatPersisted,
  {
    czxid: 1n,
    mzxid: 2n,
    ctime: 3n,
    mtime: 4n,
    version: 5,
    cversion: 6,
    aversion: 7,
    ephemeralOwner: 8n,
    pzxid: 9n,
  },
  build().long(1n).long(2n).long(3n).long(4n).int(5).int(6).int(7).long(8n).long(9n),
);
check(
  jute.TxnHeader,
  { clientId: 1n, cxid: 2, zxid: 3n, time: 4n, type: 5 },
  build().long(1n).int(2).long(3n).long(4n).int(5),
);
check(jute.TxnDigest, { version: 2, treeDigest: -1n }, build().int(2).long(-1n));
check(
  jute.CreateTxn,
  { path: '/a', data: DATA, acl: ACL, ephemeral: true, parentCVersion: 4 },
  acl(build().string('/a').buffer(DATA)).bool(true).int(4),
);
check(
  jute.CreateContainerTxn,
  { path: '/a', data: null, acl: [], parentCVersion: 4 },
  build().string('/a').buffer(null).int(0).int(4),
);
check(
  jute.CreateTTLTxn,
  { path: '/a', data: null, acl: [], parentCVersion: 4, ttl: 5n },
  build().string('/a').buffer(null).int(0).int(4).long(5n),
);
check(txn.DeleteTxn, { path: '/a' }, build().string('/a'));
check(
  txn.SetDataTxn,
  { path: '/a', data: DATA, version: 3 },
  build().string('/a').buffer(DATA).int(3),
);
check(txn.SetACLTxn, { path: '/a', acl: ACL, version: 3 }, acl(build().string('/a')).int(3));
check(txn.CheckVersionTxn, { path: '/a', version: 3 }, build().string('/a').int(3));
check(jute.CreateSessionTxn, { timeOut: 30_000 }, build().int(30_000));
check(txn.CloseSessionTxn, { paths2Delete: ['/e'] }, build().int(1).string('/e'));
check(txn.ErrorTxn, { err: -110 }, build().int(-110));
check(jute.MultiTxn, { txns: [{ type: 2, data: DATA }] }, build().int(1).int(2).buffer(DATA));
check(
  jute.FileHeader,
  { magic: persistence.TXNLOG_MAGIC, version: 2, dbid: 0n },
  build().bytes(Buffer.from('ZKLG')).int(2).long(0n),
);
check(
  jute.FileHeader,
  { magic: persistence.SNAP_MAGIC, version: 2, dbid: -1n },
  build().bytes(Buffer.from('ZKSN')).int(2).long(-1n),
);
check(
  jute.LearnerInfo,
  { serverid: 3n, protocolVersion: 0x10000, configVersion: 0n },
  build().long(3n).int(0x10000).long(0n),
);
check(
  jute.QuorumPacket,
  { type: 5, zxid: 6n, data: null, authinfo: null },
  build().int(5).long(6n).int(-1).int(-1),
);
check(
  jute.QuorumPacket,
  { type: 1, zxid: -1n, data: DATA, authinfo: [{ scheme: 'ip', id: '::1' }] },
  build().int(1).long(-1n).buffer(DATA).int(1).string('ip').string('::1'),
);
check(
  jute.QuorumAuthPacket,
  { magic: 1n, status: 2, token: DATA },
  build().long(1n).int(2).buffer(DATA),
);

test('a Stat is 68 bytes', () => {
  assert.is(data.StatRecord.encode(STAT).length, data.STAT_SIZE);
  assert.is(data.STAT_SIZE, 68);
});

test('a connect request with its readOnly byte is 45 bytes, a response 37', () => {
  const request = { protocolVersion: 0, lastZxidSeen: 0n, timeOut: 0, sessionId: 0n, passwd };
  assert.is(jute.ConnectRequest.encode({ ...request, readOnly: false }).length, 45);
  const response = { protocolVersion: 0, timeOut: 0, sessionId: 0n, passwd, readOnly: false };
  assert.is(jute.ConnectResponse.encode(response).length, 37);
});

/** What a client never sends, and the two whose bodies are sequences. */
const WITHOUT_RECORDS = [
  'notification',
  'multi',
  'multiRead',
  'deleteContainer',
  'createSession',
  'error',
];

for (const [name, code] of Object.entries(OpCode)) {
  const isPlain = !WITHOUT_RECORDS.includes(name);
  test(`${name} has ${isPlain ? 'a request and a reply' : 'no plain records'}`, () => {
    assert.is(OPERATION_TABLE.get(code)?.request !== undefined, isPlain);
    assert.is(jute.REPLIES.has(code), isPlain);
  });
}

test('no number has records but that of an operation', () => {
  const codes = new Set<number>(Object.values({ ...OpCode, ...KeeperOpCode }));
  assert.equal(
    [...OPERATION_TABLE.keys()].filter((code) => !codes.has(code)),
    [],
  );
});

test.run();
