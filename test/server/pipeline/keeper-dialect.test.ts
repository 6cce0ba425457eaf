/** ClickHouse Keeper's dialect, with bytes as ClickHouse writes and reads them. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ACL } from '../../../src/protocol/data.js';
import { Perms } from '../../../src/protocol/perms.js';
import { ByteBuilder } from '../../support/bytes/byte-builder.js';
import type { Peer } from '../server-peer.js';
import { ServerWorld } from '../server-world.js';

const GET = 4;
const EXISTS = 3;
const LIST = 12;
const CREATE = 1;
const MULTI = 14;
const MULTI_READ = 22;
const FILTERED_LIST = 500;
const CHECK_NOT_EXISTS = 501;
const CREATE_IF_NOT_EXISTS = 502;
const REMOVE_RECURSIVE = 503;
const CHECK_STAT = 504;
const TRY_REMOVE = 505;
const LIST_WITH_DATA = 506;
const LIST_RECURSIVE = 507;
const OK = 0;
const BAD_VERSION = -103;
const BAD_ARGUMENTS = -8;
const NOT_EMPTY = -111;
const NO_NODE = -101;
const NO_AUTH = -102;
const NODE_EXISTS = -110;
const ALL = 0;
const PERSISTENT_ONLY = 1;
const EPHEMERAL_ONLY = 2;
const STAT_SIZE = 68;
const OPEN: ACL = { perms: Perms.ALL, id: { scheme: 'world', id: 'anyone' } };
const CLOSED: ACL = { perms: Perms.ALL, id: { scheme: 'ip', id: '10.9.9.9' } };

const world = new ServerWorld({ settings: { isKeeperDialect: true } });
const peer = world.client();

function create(path: string, { isEphemeral = false, acl = OPEN } = {}): void {
  const flags = isEphemeral ? 1 : 0;
  peer.push(peer.request(CREATE, { path, data: Buffer.from('x'), acl: [acl], flags }));
  world.ackAll();
  assert.equal(peer.take(), ['create ok']);
}

/** Sends a request; returns the error of its reply, an int, and the body. */
function ask(client: Peer, type: number, body: Buffer): Buffer {
  const before = client.bytes.length;
  client.push(client.bare(type, body));
  world.ackAll();
  client.take();
  return client.bytes.subarray(before + 16);
}

const pathWatch = (path: string, watch = false) => new ByteBuilder().string(path).bool(watch);
const list = (path: string, listType: number, watch = false) =>
  pathWatch(path, watch).byte(listType).build();

/** The parts of a multi, with ClickHouse's header of each. */
function multi(parts: readonly (readonly [type: number, body: Buffer])[]): Buffer {
  const builder = new ByteBuilder();
  for (const [type, body] of parts) builder.int(type).bool(false).int(-1).bytes(body);
  return builder.int(-1).bool(true).int(-1).build();
}

/** A part of a multi that creates an open znode. */
const made = (path: string) =>
  [
    CREATE,
    new ByteBuilder()
      .string(path)
      .int(0)
      .int(1)
      .int(Perms.ALL)
      .string('world')
      .string('anyone')
      .int(0)
      .build(),
  ] as const;

/** The error and the names of a list; checks that a Stat follows. */
function namesOf(reply: Buffer): string[] | number {
  const err = reply.readInt32BE(0);
  if (err !== 0) return err;
  const names: string[] = [];
  let at = 8;
  for (let left = reply.readInt32BE(4); left > 0; left--) {
    const length = reply.readInt32BE(at);
    names.push(reply.toString('utf8', at + 4, at + 4 + length));
    at += 4 + length;
  }
  assert.is(reply.length - at, STAT_SIZE);
  return names.sort();
}

/** Stat of a znode of the server itself: nothing but the length of its data. */
const announcedStat = (length: number) =>
  new ByteBuilder().bytes(Buffer.alloc(52)).int(length).int(0).long(0n).build();

create('/p');
create('/p/a');
create('/p/b');
create('/p/e', { isEphemeral: true });

test('the feature flags and the version are announced', () => {
  for (const [path, data] of [
    ['/keeper/feature_flags', Buffer.from([0b1111_1010, 0b0111_0000])],
    ['/keeper/api_version', Buffer.from('3')],
  ] as const) {
    const stat = announcedStat(data.length);
    const get = ask(peer, GET, pathWatch(path).build());
    assert.equal(get, new ByteBuilder().int(0).buffer(data).bytes(stat).build());
    const exists = ask(peer, EXISTS, pathWatch(path).build());
    assert.equal(exists, new ByteBuilder().int(0).bytes(stat).build());
  }
  // Of the same length.
  const other = ask(peer, GET, pathWatch('/keeper/api_versioX').build());
  assert.equal(other, new ByteBuilder().int(NO_NODE).build());
});

test('a filtered list has all, the persistent, or the ephemeral children', () => {
  assert.equal(namesOf(ask(peer, FILTERED_LIST, list('/p', ALL))), ['a', 'b', 'e']);
  assert.equal(namesOf(ask(peer, FILTERED_LIST, list('/p', PERSISTENT_ONLY))), ['a', 'b']);
  assert.equal(namesOf(ask(peer, FILTERED_LIST, list('/p', EPHEMERAL_ONLY))), ['e']);
  assert.equal(namesOf(ask(peer, FILTERED_LIST, list('/p/a', EPHEMERAL_ONLY))), []);
  assert.is(namesOf(ask(peer, FILTERED_LIST, list('/none', ALL))), NO_NODE);
  assert.equal(
    ask(peer, FILTERED_LIST, list('/p', ALL)),
    ask(peer, LIST, pathWatch('/p').build()),
    'all children as List has them',
  );
});

test('a filtered list of many children continues in later turns', () => {
  create('/many');
  for (let i = 0; i < 2500; i++) create(`/many/${i}`);
  create('/many/e', { isEphemeral: true });
  assert.equal(namesOf(ask(peer, FILTERED_LIST, list('/many', EPHEMERAL_ONLY))), ['e']);
  assert.is((namesOf(ask(peer, FILTERED_LIST, list('/many', PERSISTENT_ONLY))) as []).length, 2500);
});

test('a filter needs READ on each child, and the names alone on their parent', () => {
  create('/closed');
  create('/closed/x', { acl: CLOSED });
  assert.equal(namesOf(ask(peer, FILTERED_LIST, list('/closed', ALL))), ['x']);
  assert.is(namesOf(ask(peer, FILTERED_LIST, list('/closed', PERSISTENT_ONLY))), NO_AUTH);
  assert.is(namesOf(ask(peer, FILTERED_LIST, list('/closed/x', ALL))), NO_AUTH);
});

test('a filtered list sets a watch on the children', () => {
  create('/w');
  const other = world.client();
  ask(other, FILTERED_LIST, list('/w', EPHEMERAL_ONLY, true));
  create('/w/child');
  assert.match(other.take().join(), /event NodeChildrenChanged \/w /);
});

/** Names, Stats, and data of a list, read as ClickHouse reads them, or the error. */
function listedOf(reply: Buffer): { name: string; version: number; data: string }[] | number {
  const err = reply.readInt32BE(0);
  if (err !== 0) return err;
  let at = 4;
  const int = () => {
    at += 4;
    return reply.readInt32BE(at - 4);
  };
  const bytes = () => {
    const length = int();
    at += length;
    return reply.toString('utf8', at - length, at);
  };
  const names = Array.from({ length: int() }, bytes);
  at += STAT_SIZE;
  const versions = Array.from({ length: int() }, () => {
    at += STAT_SIZE;
    return reply.readInt32BE(at - STAT_SIZE + 32);
  });
  const data = Array.from({ length: int() }, bytes);
  assert.is(at, reply.length);
  return names.map((name, i) => ({ name, version: versions[i] ?? -9, data: data[i] ?? '-' }));
}

const listWith = (
  path: string,
  listType: number,
  { stat = true, data = true, watch = false } = {},
) => pathWatch(path, watch).byte(listType).bool(stat).bool(data).build();

test('a list has the Stats and the data of the children, in one order', () => {
  create('/with');
  create('/with/a');
  create('/with/e', { isEphemeral: true });
  peer.push(peer.request(5, { path: '/with/a', data: Buffer.from('longer'), version: -1 }));
  world.ackAll();
  peer.take();
  const a = { name: 'a', version: 1, data: 'longer' };
  const e = { name: 'e', version: 0, data: 'x' };
  const ask506 = (body: Buffer) => listedOf(ask(peer, LIST_WITH_DATA, body));
  assert.equal(ask506(listWith('/with', ALL)), [a, e]);
  assert.equal(ask506(listWith('/with', PERSISTENT_ONLY)), [a]);
  assert.equal(ask506(listWith('/with', EPHEMERAL_ONLY)), [e]);
  assert.equal(ask506(listWith('/with', EPHEMERAL_ONLY, { stat: false })), [{ ...e, version: -9 }]);
  assert.equal(ask506(listWith('/with', EPHEMERAL_ONLY, { data: false })), [{ ...e, data: '-' }]);
  assert.equal(ask506(listWith('/with/a', ALL)), []);
  assert.is(ask506(listWith('/none', ALL)), NO_NODE);
  create('/with/shut', { acl: CLOSED });
  assert.is(ask506(listWith('/with', ALL)), NO_AUTH);
  assert.is(ask506(listWith('/with/shut', ALL)), NO_AUTH);
  const bare = ask506(listWith('/with', ALL, { stat: false, data: false }));
  assert.equal((bare as { name: string }[]).map(({ name }) => name).sort(), ['a', 'e', 'shut']);
});

test('a list with data sets a watch on the children', () => {
  create('/seen');
  ask(peer, LIST_WITH_DATA, listWith('/seen', ALL, { watch: true }));
  peer.push(peer.request(CREATE, { path: '/seen/x', data: null, acl: [OPEN], flags: 0 }));
  world.ackAll();
  assert.equal(peer.take(), ['event NodeChildrenChanged /seen at 2519', 'create ok']);
});

test('a list whose data would be too long is refused', () => {
  const large = new ServerWorld({ settings: { isKeeperDialect: true, maxFrameLength: 2 ** 21 } });
  const client = large.client();
  const data = Buffer.alloc(1_000_000);
  const askLarge = (withData: boolean) => {
    const before = client.bytes.length;
    client.push(client.bare(LIST_WITH_DATA, listWith('/', ALL, { data: withData })));
    large.ackAll();
    client.take();
    return listedOf(client.bytes.subarray(before + 16));
  };
  for (let i = 0; i < 70; i++) {
    client.push(client.request(CREATE, { path: `/${i}`, data, acl: [OPEN], flags: 0 }));
    large.ackAll();
  }
  client.take();
  assert.is((askLarge(false) as []).length, 71);
  assert.is(askLarge(true), -5, 'MARSHALLINGERROR');
});

test('a multi-read has results of every kind of read, and errors in the form of a Keeper', () => {
  const parts: [number, Buffer][] = [
    [GET, pathWatch('/p/a').build()],
    [EXISTS, pathWatch('/none').build()],
    [EXISTS, pathWatch('/p/a').build()],
    [LIST, pathWatch('/p').build()],
    [FILTERED_LIST, list('/p', EPHEMERAL_ONLY)],
    [FILTERED_LIST, list('/closed', PERSISTENT_ONLY)],
    [GET, pathWatch('/keeper/api_version').build()],
  ];
  const failures = new Map([
    [1, NO_NODE],
    [5, NO_AUTH],
  ]);
  const expected = new ByteBuilder().int(0);
  for (const [place, [type, body]] of parts.entries()) {
    const err = failures.get(place) ?? 0;
    expected.int(type).bool(false);
    expected.bytes(err === 0 ? ask(peer, type, body) : new ByteBuilder().int(err).build());
  }
  expected.int(-1).bool(true).int(-1);
  assert.equal(ask(peer, MULTI_READ, multi(parts)), expected.build());
});

test('a client that did not ask for the features gets multi-reads as from Apache', () => {
  const client = world.client();
  const reply = ask(client, MULTI_READ, multi([[GET, pathWatch('/none').build()]]));
  const failed = new ByteBuilder().int(0).int(-1).bool(false).int(NO_NODE).int(NO_NODE);
  assert.equal(reply, failed.int(-1).bool(true).int(-1).build());
  const other = ask(client, MULTI_READ, multi([[EXISTS, pathWatch('/none').build()]]));
  assert.is(other.readInt32BE(0), -5);
});

test('a tree is listed without what may not be read, up to a limit', () => {
  create('/tree');
  create('/tree/a');
  create('/tree/a/b');
  create('/tree/shut');
  create('/tree/shut/hidden');
  const acl = new ByteBuilder().string('/tree/shut');
  acl.vector([CLOSED], (b, { perms, id }) => b.int(perms).string(id.scheme).string(id.id)).int(-1);
  assert.is(ask(peer, 7, acl.build()).readInt32BE(0), 0);
  const pathsOf = (limit: number) => {
    const reply = ask(peer, LIST_RECURSIVE, pathAndInt('/tree', limit));
    const paths: string[] = [];
    let at = 8;
    while (at < reply.length) {
      const end = at + 4 + reply.readInt32BE(at);
      paths.push(reply.toString('utf8', at + 4, end));
      at = end;
    }
    assert.is(reply.readInt32BE(4), paths.length);
    return paths;
  };
  assert.equal(pathsOf(-1), ['/tree/a', '/tree/a/b'], 'unsigned');
  assert.equal(pathsOf(1), ['/tree/a']);
  assert.equal(pathsOf(0), []);
  assert.is(ask(peer, LIST_RECURSIVE, pathAndInt('/none', 1)).readInt32BE(0), NO_NODE);
  assert.is(ask(peer, LIST_RECURSIVE, pathAndInt('/tree/shut', 1)).readInt32BE(0), NO_AUTH);
});

test('a multi checks that znodes do not exist', () => {
  const absent = (path: string, version = -1): [number, Buffer] => [
    CHECK_NOT_EXISTS,
    new ByteBuilder().string(path).int(version).build(),
  ];
  const made = (path: string): [number, Buffer] => [
    CREATE,
    new ByteBuilder()
      .string(path)
      .buffer(null)
      .vector([OPEN], (b, { perms, id }) => b.int(perms).string(id.scheme).string(id.id))
      .int(0)
      .build(),
  ];
  const ok = ask(peer, MULTI, multi([absent('/m'), absent('/p/a', 7), made('/m')]));
  const checked = new ByteBuilder().int(CHECK_NOT_EXISTS).bool(false).int(0).build();
  const end = new ByteBuilder().int(-1).bool(true).int(-1).build();
  const created = new ByteBuilder().int(CREATE).bool(false).int(0).string('/m').build();
  assert.equal(
    ok,
    new ByteBuilder().int(0).bytes(checked).bytes(checked).bytes(created).bytes(end).build(),
  );
  const failure = (err: number) => new ByteBuilder().int(-1).bool(false).int(err).int(err).build();
  const failed = ask(peer, MULTI, multi([made('/n'), absent('/n'), absent('/o')]));
  assert.equal(
    failed,
    new ByteBuilder()
      .int(0)
      .bytes(failure(0))
      .bytes(failure(NODE_EXISTS))
      .bytes(failure(-2))
      .bytes(end)
      .build(),
    'it sees what the multi created before',
  );
  assert.is(ask(peer, EXISTS, pathWatch('/n').build()).readInt32BE(0), NO_NODE);
  const zero = ask(peer, MULTI, multi([absent('/p/a', 0)]));
  assert.is(zero.readInt32BE(9), NODE_EXISTS, 'this version exists');
  const closed = ask(peer, MULTI, multi([absent('/closed/x', 7)]));
  assert.is(closed.readInt32BE(9), NO_AUTH);
  const invalid = ask(peer, MULTI, multi([absent('no/slash')]));
  assert.is(invalid.readInt32BE(9), -8);
});

const createBody = (path: string, flags = 0) =>
  new ByteBuilder()
    .string(path)
    .buffer(null)
    .vector([OPEN], (b, { perms, id }) => b.int(perms).string(id.scheme).string(id.id))
    .int(flags)
    .build();
const pathAndInt = (path: string, int: number) => new ByteBuilder().string(path).int(int).build();
const exists = (path: string) => ask(peer, EXISTS, pathWatch(path).build()).readInt32BE(0) === OK;

test('a znode is created unless it exists', () => {
  const made = new ByteBuilder().int(OK).string('/maybe').build();
  for (const _ of ['created', 'found']) {
    assert.equal(ask(peer, CREATE_IF_NOT_EXISTS, createBody('/maybe')), made);
  }
  assert.is(ask(peer, CREATE_IF_NOT_EXISTS, createBody('/none/x')).readInt32BE(0), NO_NODE);
  const sequential = ask(peer, CREATE_IF_NOT_EXISTS, createBody('/maybe', 2));
  assert.is(sequential.readInt32BE(0), BAD_ARGUMENTS);
});

test('a znode is removed if it can be', () => {
  create('/try');
  create('/try/child');
  const ok = new ByteBuilder().int(OK).build();
  for (const [path, version] of [
    ['/try', -1],
    ['/try/child', 7],
    ['/try/none', -1],
    ['/none/none', -1],
  ] as const) {
    assert.equal(ask(peer, TRY_REMOVE, pathAndInt(path, version)), ok, path);
  }
  assert.ok(exists('/try/child'));
  assert.equal(ask(peer, TRY_REMOVE, pathAndInt('/try/child', 0)), ok);
  assert.not(exists('/try/child'));
});

test('a tree is removed up to a limit, with the znodes that writes in flight create in it', () => {
  create('/r');
  create('/r/a');
  create('/r/a/b');
  const ok = new ByteBuilder().int(OK).build();
  assert.equal(
    ask(peer, REMOVE_RECURSIVE, pathAndInt('/r', 2)),
    new ByteBuilder().int(NOT_EMPTY).build(),
  );
  assert.ok(exists('/r/a/b'));
  const other = world.client();
  other.push(other.bare(CREATE, createBody('/r/new')));
  other.push(other.bare(CREATE, createBody('/r/new/er')));
  other.push(other.bare(TRY_REMOVE, pathAndInt('/r/a/b', -1)));
  assert.equal(ask(peer, REMOVE_RECURSIVE, pathAndInt('/r', 4)), ok);
  assert.not(exists('/r'));
  assert.equal(ask(peer, REMOVE_RECURSIVE, pathAndInt('/r', 0)), ok, 'it is gone');
  assert.is(ask(peer, REMOVE_RECURSIVE, pathAndInt('/', 100)).readInt32BE(0), BAD_ARGUMENTS);
});

test('each znode that goes fires its watches, and a parent must allow it', () => {
  create('/fire');
  create('/fire/x');
  const other = world.client();
  ask(other, EXISTS, pathWatch('/fire/x', true).build());
  const allButDelete = { perms: Perms.ALL & ~Perms.DELETE, id: OPEN.id };
  create('/fire/guard', { acl: allButDelete });
  assert.is(ask(peer, REMOVE_RECURSIVE, pathAndInt('/fire', 9)).readInt32BE(0), OK);
  create('/fire');
  create('/fire/guard', { acl: allButDelete });
  create('/fire/guard/x');
  assert.is(ask(peer, REMOVE_RECURSIVE, pathAndInt('/fire', 9)).readInt32BE(0), NO_AUTH);
  assert.match(other.take().join(), /event NodeDeleted \/fire\/x /);
});

test('a multi has one result for each operation', () => {
  create('/multi');
  create('/multi/a');
  create('/multi/a/b');
  const reply = ask(
    peer,
    MULTI,
    multi([
      [CREATE_IF_NOT_EXISTS, createBody('/multi')],
      [REMOVE_RECURSIVE, pathAndInt('/multi/a', 9)],
      [CREATE_IF_NOT_EXISTS, createBody('/multi/a')],
      [REMOVE_RECURSIVE, pathAndInt('/multi/none', 9)],
      [TRY_REMOVE, pathAndInt('/multi', -1)],
      [CREATE, createBody('/multi/last')],
    ]),
  );
  const result = (type: number) => new ByteBuilder().int(type).bool(false).int(OK);
  const expected = new ByteBuilder()
    .int(OK)
    .bytes(result(CREATE_IF_NOT_EXISTS).string('/multi').build())
    .bytes(result(REMOVE_RECURSIVE).build())
    .bytes(result(CREATE_IF_NOT_EXISTS).string('/multi/a').build())
    .bytes(result(REMOVE_RECURSIVE).build())
    .bytes(result(TRY_REMOVE).build())
    .bytes(result(CREATE).string('/multi/last').build())
    .int(-1)
    .bool(true)
    .int(-1)
    .build();
  assert.equal(reply, expected);
  assert.not(exists('/multi/a/b'));
  assert.ok(exists('/multi/a'));
  const failed = ask(
    peer,
    MULTI,
    multi([
      [REMOVE_RECURSIVE, pathAndInt('/multi', 9)],
      [REMOVE_RECURSIVE, pathAndInt('/p', 2)],
      [TRY_REMOVE, pathAndInt('/w', -1)],
    ]),
  );
  const errors = [OK, NOT_EMPTY, -2].map((err) =>
    new ByteBuilder().int(-1).bool(false).int(err).int(err).build(),
  );
  const end = new ByteBuilder().int(-1).bool(true).int(-1).build();
  assert.equal(failed, Buffer.concat([Buffer.alloc(4), ...errors, end]));
  assert.ok(exists('/multi/last'));
});

test('a multi checks the Stat that its earlier operations lead to', () => {
  create('/stat');
  create('/stat/a');
  const stat = ask(peer, EXISTS, pathWatch('/stat').build()).subarray(4);
  const checkStat = (version: number, fields: Buffer): [number, Buffer] => [
    CHECK_STAT,
    new ByteBuilder().string('/stat').int(version).bytes(fields).build(),
  ];
  const errorOf = (...ops: [number, Buffer][]) => {
    const reply = ask(peer, MULTI, multi(ops));
    return reply.readInt32BE(4) === -1 ? reply.readInt32BE(reply.length - 13) : OK;
  };
  const any = Buffer.alloc(STAT_SIZE, 0xff);
  const NUM_CHILDREN = 56;
  const CVERSION = 36;
  const withField = (at: number, value: number) => {
    const fields = Buffer.from(any);
    fields.writeInt32BE(value, at);
    return fields;
  };
  assert.is(errorOf(checkStat(0, stat)), OK);
  assert.is(errorOf(checkStat(-1, any)), OK);
  assert.is(errorOf(checkStat(1, any)), BAD_VERSION);
  assert.is(errorOf(checkStat(-1, withField(NUM_CHILDREN, 2))), BAD_VERSION);
  const grown: [number, Buffer] = [CREATE, createBody('/stat/b')];
  assert.is(errorOf(grown, checkStat(-1, withField(CVERSION, 1))), BAD_VERSION);
  assert.is(errorOf(grown, checkStat(-1, withField(NUM_CHILDREN, 2))), OK);
  const less: [number, Buffer] = [TRY_REMOVE, pathAndInt('/stat/b', -1)];
  assert.is(errorOf(less, checkStat(-1, withField(CVERSION, 3))), OK);
});

test('the audit log has each change, and nothing else', () => {
  const audited = new ServerWorld({ settings: { isKeeperDialect: true } });
  Object.assign(audited.server.state.reporter, { options: { slowRequestMs: 0, isAudited: true } });
  const client = audited.client();
  const removal = [
    [CREATE_IF_NOT_EXISTS, createBody('/x/y')],
    [REMOVE_RECURSIVE, pathAndInt('/x', 9)],
    [TRY_REMOVE, pathAndInt('/x', -1)],
    [CREATE, createBody('/last')],
  ] as const;
  for (const [type, body] of [
    [CREATE_IF_NOT_EXISTS, createBody('/x')],
    [CREATE_IF_NOT_EXISTS, createBody('/x')],
    [MULTI, multi(removal)],
    [REMOVE_RECURSIVE, pathAndInt('/last', 0)],
    [REMOVE_RECURSIVE, pathAndInt('/last', 1)],
  ] as const) {
    client.push(client.bare(type, body));
    audited.ackAll();
  }
  const entries = audited.effects.flatMap((effect) =>
    effect.kind === 'report' && effect.report.kind === 'audit' ? [effect.report.entry] : [],
  );
  assert.equal(
    entries.map(({ operation, znode, result }) => `${operation} ${znode} ${result}`),
    [
      'create /x success',
      'create /x/y success',
      'delete /x/y success',
      'delete /x success',
      'create /last success',
      'delete /last failure',
      'delete /last success',
    ],
  );
});

test('a recursive removal looks at no more children than its number', () => {
  const { tree } = world.server.state;
  create('/wide');
  for (let i = 0; i < 50; i++) create(`/wide/${i}`);
  let looks = 0;
  const childrenOf = tree.childrenOf.bind(tree);
  tree.childrenOf = function* (node) {
    for (const child of childrenOf(node)) {
      looks++;
      yield child;
    }
  };
  try {
    const reply = ask(peer, REMOVE_RECURSIVE, new ByteBuilder().string('/wide').int(3).build());
    assert.is(reply.readInt32BE(0), NOT_EMPTY);
    assert.is(looks, 3);
  } finally {
    tree.childrenOf = childrenOf;
  }
});

test('a multi that looks at too many changes or deleted children fails as a whole', () => {
  const settings = { isKeeperDialect: true, maxFrameLength: 1 << 20 };
  const large = new ServerWorld({ settings });
  const client = large.client();
  const removed = [REMOVE_RECURSIVE, new ByteBuilder().string('/z').int(1000).build()] as const;
  const round = [made('/z'), made('/z/y'), removed];
  const send = (...parts: (readonly [type: number, body: Buffer])[]) => {
    client.push(client.bare(MULTI, multi(parts)));
    large.ackAll();
    while (client.isAwaited) large.drained(client);
    assert.equal(client.take(), ['multi ok'], 'its results have the errors');
  };
  client.take();
  const { prep, tree } = large.server.state;
  const pending = Array.from({ length: 4000 }, (_, i) => made(`/n${i}`));
  const rounds = (count: number) => Array.from({ length: count }, () => round).flat();
  send(...pending, ...rounds(2000));
  assert.is(prep.outstanding.size, 0);
  assert.is(tree.get('/n0'), undefined);
  const absent = Array.from({ length: 2000 }, () => removed);
  send(...pending, ...round, ...absent);
  assert.ok(tree.get('/n0') !== undefined && tree.get('/z') === undefined);
  send(made('/z'), ...Array.from({ length: 500 }, (_, i) => made(`/z/${i}`)));
  send(removed, ...rounds(600));
  assert.ok(tree.get('/z/0') !== undefined);
  send(removed, ...rounds(60));
  assert.is(tree.get('/z'), undefined);
});

test('without the option, nothing of it is served', () => {
  const plain = new ServerWorld();
  const answerOf = (type: number, body: Buffer) => {
    const client = plain.client();
    client.push(client.bare(type, body));
    plain.ackAll();
    return client.take().join();
  };
  assert.is(answerOf(FILTERED_LIST, list('/', ALL)), 'filteredList UNIMPLEMENTED,closed');
  const all = pathAndInt('/', -1);
  assert.is(answerOf(LIST_RECURSIVE, all), 'listRecursive UNIMPLEMENTED,closed');
  assert.is(
    answerOf(CHECK_NOT_EXISTS, pathWatch('/').build()),
    'checkNotExists UNIMPLEMENTED,closed',
  );
  for (const [type, name, body] of [
    [CREATE_IF_NOT_EXISTS, 'createIfNotExists', createBody('/x')],
    [REMOVE_RECURSIVE, 'removeRecursive', pathAndInt('/x', 1)],
    [TRY_REMOVE, 'tryRemove', pathAndInt('/x', -1)],
  ] as const) {
    assert.is(answerOf(type, body), `${name} UNIMPLEMENTED,closed`);
    assert.is(answerOf(MULTI, multi([[type, body]])), 'multi MARSHALLINGERROR');
  }
  assert.is(answerOf(GET, pathWatch('/keeper/feature_flags').build()), 'getData NONODE');
  assert.is(answerOf(EXISTS, pathWatch('/keeper/feature_flags').build()), 'exists NONODE');
  const absent = new ByteBuilder().string('/x').int(-1).build();
  assert.is(answerOf(MULTI, multi([[CHECK_NOT_EXISTS, absent]])), 'multi MARSHALLINGERROR');
});

test.run();
