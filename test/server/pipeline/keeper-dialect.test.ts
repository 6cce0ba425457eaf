/** ClickHouse Keeper's dialect, with bytes as ClickHouse writes and reads them. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Perms } from '../../../src/protocol/perms.js';
import { ByteBuilder } from '../../support/bytes/byte-builder.js';
import type { Peer } from '../server-peer.js';
import { ServerWorld } from '../server-world.js';

const GET = 4;
const EXISTS = 3;
const LIST = 12;
const CREATE = 1;
const CHECK = 13;
const MULTI = 14;
const FILTERED_LIST = 500;
const CHECK_NOT_EXISTS = 501;
const NO_NODE = -101;
const NO_AUTH = -102;
const NODE_EXISTS = -110;
const ALL = 0;
const PERSISTENT_ONLY = 1;
const EPHEMERAL_ONLY = 2;
const STAT_SIZE = 68;
const OPEN = { perms: Perms.ALL, id: { scheme: 'world', id: 'anyone' } };
const CLOSED = { perms: Perms.ALL, id: { scheme: 'ip', id: '10.9.9.9' } };

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
  pathWatch(path, watch).int(listType).build();

/** The parts of a multi, with ClickHouse's header of each. */
function multi(parts: readonly (readonly [type: number, body: Buffer])[]): Buffer {
  const builder = new ByteBuilder();
  for (const [type, body] of parts) builder.int(type).bool(false).int(-1).bytes(body);
  return builder.int(-1).bool(true).int(-1).build();
}

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
    ['/keeper/feature_flags', Buffer.from([0b1010_0000, 0])],
    ['/keeper/api_version', Buffer.from('1')],
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
  const checked = new ByteBuilder().int(CHECK).bool(false).int(0).build();
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

test('without the option, nothing of it is served', () => {
  const plain = new ServerWorld();
  const answerOf = (type: number, body: Buffer) => {
    const client = plain.client();
    client.push(client.bare(type, body));
    plain.ackAll();
    return client.take().join();
  };
  assert.is(answerOf(FILTERED_LIST, list('/', ALL)), 'filteredList UNIMPLEMENTED,closed');
  assert.is(
    answerOf(CHECK_NOT_EXISTS, pathWatch('/').build()),
    'checkNotExists UNIMPLEMENTED,closed',
  );
  assert.is(answerOf(GET, pathWatch('/keeper/feature_flags').build()), 'getData NONODE');
  assert.is(answerOf(EXISTS, pathWatch('/keeper/feature_flags').build()), 'exists NONODE');
  const absent = new ByteBuilder().string('/x').int(-1).build();
  assert.is(answerOf(MULTI, multi([[CHECK_NOT_EXISTS, absent]])), 'multi MARSHALLINGERROR');
});

test.run();
