/** Who loads a server, with clients of a server that a test steps. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { WORDS } from '../../../src/fourlw/index.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { formatSessionId } from '../../../src/protocol/session-id.js';
import { loadView } from '../../../src/server/admin/load-view.js';
import { makeView } from '../../fourlw/captured-view.js';
import { ByteBuilder } from '../../support/bytes/byte-builder.js';
import { ServerWorld } from '../server-world.js';

function namesOf(world: ServerWorld, kind: string): string[] {
  const { rows } = loadView(world.server.state);
  return rows.filter(({ by }) => by === kind).map(({ name }) => name);
}

test('the culprit of reads, its path, and its address are first', () => {
  const world = new ServerWorld();
  const [busy, quiet] = [world.client(), world.client()];
  for (const path of ['/app', '/app/hot', '/other']) {
    busy.push(busy.create(path));
    world.ackAll();
  }
  for (let i = 0; i < 5000; i++) {
    busy.push(busy.exists('/app/hot'));
    if (i % 200 === 0) quiet.push(quiet.exists('/other'));
  }
  assert.equal(namesOf(world, 'path'), ['/app/hot']);
  assert.equal(namesOf(world, 'session'), [formatSessionId(busy.sessionId)]);
  assert.equal(namesOf(world, 'address'), ['127.0.0.1']);
  assert.equal(namesOf(world, 'user'), ['anonymous']);
  const { total, rows } = loadView(world.server.state);
  const [first] = rows;
  assert.ok((first?.requestsPerSecond ?? 0) <= total.requestsPerSecond);
  assert.ok((first?.requestsPerSecond ?? 0) > total.requestsPerSecond * 0.9);
});

test('many znodes below one are that one', () => {
  const world = new ServerWorld();
  const client = world.client();
  for (let i = 0; i < 5000; i++) client.push(client.exists(`/locks/job-${i}/lock`));
  assert.equal(namesOf(world, 'path'), ['/locks']);
});

test('the path of a multi is that of its first operation, and a ping has none', () => {
  const world = new ServerWorld();
  const client = world.client();
  client.push(client.create('/a'));
  world.ackAll();
  const check = new ByteBuilder().int(OpCode.check).bool(false).int(-1).string('/a/b').int(0);
  const multi = check.int(-1).bool(true).int(-1).build();
  for (let i = 0; i < 1000; i++) {
    client.push(client.bare(OpCode.multi, multi));
    world.ackAll();
    client.push(client.request(OpCode.ping, {}));
  }
  assert.equal(namesOf(world, 'path'), ['/a/b']);
});

test('watches count by path, session, address, and user', () => {
  const world = new ServerWorld();
  const [many, few] = [world.client(), world.client()];
  many.push(many.request(OpCode.auth, { type: 0, scheme: 'digest', auth: Buffer.from('bob:x') }));
  for (let i = 0; i < 9000; i++) many.push(many.exists(`/jobs/${i}`, true));
  few.push(few.exists('/one', true));
  const { total, rows } = loadView(world.server.state);
  assert.is(total.watches, 9001);
  const watchesOf = (by: string) => rows.find((row) => row.by === by);
  assert.is(watchesOf('session')?.watches, 9000);
  assert.is(watchesOf('user')?.name, 'digest:bob');
  assert.is(watchesOf('address')?.watches, 9001);
  const { name, watches = 0 } = watchesOf('path') ?? {};
  assert.is(name, '/jobs');
  assert.ok(watches > 8900 && watches < 9100, `${watches} by a sample of them`);
});

test('a long user name is cut, and its bytes are not kept', () => {
  const world = new ServerWorld();
  const client = world.client();
  const auth = Buffer.from(`${'u'.repeat(1000)}:x`);
  client.push(client.request(OpCode.auth, { type: 0, scheme: 'digest', auth }));
  for (let i = 0; i < 500; i++) client.push(client.exists('/a', i === 0));
  const { byKind } = world.server.state.stats.metrics.load.counts(1000);
  const name = `digest:${'u'.repeat(249)}`;
  assert.equal([...byKind.user.keys()], [name]);
  assert.equal(namesOf(world, 'user'), [name]);
});

test('all who ask within a second get the same view, which reads thousands of watches', () => {
  const world = new ServerWorld();
  const client = world.client();
  const { view } = world.server;
  const before = view.load();
  client.push(client.exists('/a', true));
  world.clock(900);
  assert.is(view.load(), before);
  world.clock(200);
  assert.is(view.load().total.watches, before.total.watches + 1);
});

test('a hostile name forges no line', () => {
  const rows = [
    {
      by: 'user' as const,
      name: 'a\nuser\t1\t1\t1\tb',
      requestsPerSecond: 1,
      bytesPerSecond: 2,
      watches: 3,
    },
  ];
  const total = { requestsPerSecond: 1.5, bytesPerSecond: 2, watches: 3 };
  const text = WORDS.load.render(makeView({ load: () => ({ seconds: 42, total, rows }) }));
  const parsed = WORDS.load.parse(text);
  assert.is(parsed.seconds, 42);
  assert.equal(parsed.total, total);
  assert.is(parsed.rows.length, 1);
  assert.equal(parsed.unknown, []);
  assert.equal(WORDS.load.parse('a\ntotal\n').unknown, ['a', 'total']);
});

test.run();
