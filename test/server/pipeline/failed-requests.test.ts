/** An exception in one request closes its connection; a change that was begun ends the server. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InvariantError } from '../../../src/base/assert.js';
import { InputArchive } from '../../../src/jute/input-archive.js';
import { OutputArchive } from '../../../src/jute/output-archive.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { OPERATION_TABLE } from '../../../src/protocol/operation-table.js';
import { OPEN_ACL_UNSAFE } from '../../../src/protocol/perms.js';
import { Primary } from '../../../src/server/pipeline/primary.js';
import { handshake, type Peer } from '../server-peer.js';
import { ServerWorld } from '../server-world.js';

const PROBLEM = 'Array buffer allocation failed';

/** Lets the nth call of a method throw while `action` runs. */
function failing(target: object, method: string, nth: number, action: () => void): void {
  const original: unknown = Reflect.get(target, method);
  if (typeof original !== 'function') throw new Error(`no method ${method}`);
  let calls = 0;
  Reflect.set(target, method, function (this: unknown, ...args: unknown[]) {
    if (++calls === nth) throw new RangeError(PROBLEM);
    return original.apply(this, args);
  });
  try {
    action();
  } finally {
    Reflect.set(target, method, original);
  }
  assert.ok(calls >= nth, `${method} was called ${calls} times`);
}

function problems({ effects }: ServerWorld): string[] {
  return effects.flatMap((effect) =>
    effect.kind === 'report' && effect.report.kind === 'request-failed'
      ? [effect.report.problem]
      : [],
  );
}

function multi(peer: Peer): Buffer {
  const creates = ['/m1', '/m2'].map((path) => ({
    type: OpCode.create,
    request: { path, data: Buffer.from('m'), acl: OPEN_ACL_UNSAFE, flags: 0 },
  }));
  const bodies = creates.flatMap(({ type, request }) => {
    const head = Buffer.alloc(9);
    head.writeInt32BE(type);
    head.writeInt32BE(-1, 5);
    return [head, OPERATION_TABLE.get(type)?.request?.encode(request) ?? Buffer.alloc(0)];
  });
  return peer.bare(
    OpCode.multi,
    Buffer.concat([...bodies, Buffer.from('ffffffff01ffffffff', 'hex')]),
  );
}

const REQUESTS = {
  create: (peer: Peer) => peer.create('/new'),
  delete: (peer: Peer) => peer.request(OpCode.delete, { path: '/a', version: -1 }),
  setData: (peer: Peer) =>
    peer.request(OpCode.setData, { path: '/a', data: Buffer.from('x'), version: -1 }),
  setACL: (peer: Peer) =>
    peer.request(OpCode.setACL, { path: '/a', acl: OPEN_ACL_UNSAFE, version: -1 }),
  multi,
  closeSession: (peer: Peer) => peer.bare(OpCode.closeSession),
} as const;

type Name = keyof typeof REQUESTS;

/** [the request, where it fails, in which call] */
const PREPARING: readonly (readonly [Name, 'outstanding' | 'auth', string, number])[] = [
  ['create', 'auth', 'isAllowed', 1],
  ['create', 'outstanding', 'copy', 1],
  ['create', 'outstanding', 'make', 1],
  ['delete', 'outstanding', 'copy', 1],
  ['delete', 'outstanding', 'copy', 2],
  ['setData', 'outstanding', 'copy', 1],
  ['setACL', 'auth', 'fixUp', 1],
  ['multi', 'auth', 'isAllowed', 2],
  ['multi', 'outstanding', 'make', 2],
  ['closeSession', 'outstanding', 'ephemeralsOf', 1],
  ['closeSession', 'outstanding', 'copy', 1],
  ['closeSession', 'outstanding', 'close', 1],
];

interface Scene {
  readonly world: ServerWorld;
  readonly peer: Peer;
  readonly other: Peer;
}

/** `other` has a write that is not applied yet. */
function scene(): Scene {
  const world = new ServerWorld();
  const [peer, other] = [world.client(), world.client()];
  for (const path of ['/a', '/b']) peer.push(peer.create(path));
  for (const path of ['/e1', '/e2', '/e3']) peer.push(peer.create(path, 1));
  world.ackAll();
  peer.take();
  other.push(other.request(OpCode.setData, { path: '/b', data: Buffer.from('1'), version: -1 }));
  return { world, peer, other };
}

/** The request left no trace: the next writes are as if it had never come. */
function isAsBefore({ world, peer, other }: Scene, digest: bigint): void {
  const { prep, tree } = world.server.state;
  assert.is(prep.outstanding.digest.value, digest);
  assert.equal(problems(world), [PROBLEM]);
  assert.ok(peer.isClosed, 'its connection is closed');
  other.push(other.create('/new'));
  other.push(other.request(OpCode.setData, { path: '/a', data: Buffer.from('2'), version: 0 }));
  world.ackAll();
  assert.equal(other.take(), ['setData ok', 'create ok', 'setData ok']);
  assert.is(prep.outstanding.size, 0);
  for (const path of ['/m1', '/m2']) assert.is(tree.get(path), undefined);
  assert.ok(tree.get('/e1') !== undefined, 'the session is not closed');
  tree.audit(0).poll(0);
}

for (const [name, part, method, nth] of PREPARING) {
  test(`an exception in ${method}, call ${nth}, undoes a ${name} and ends no server`, () => {
    const begun = scene();
    const { world, peer } = begun;
    const { prep, auth } = world.server.state;
    const digest = prep.outstanding.digest.value;
    const target = part === 'auth' ? auth : prep.outstanding;
    failing(target, method, nth, () => peer.push(REQUESTS[name](peer)));
    isAsBefore(begun, digest);
  });
}

for (const name of ['create', 'multi', 'closeSession'] as const) {
  test(`a ${name} whose log record cannot be written is undone`, () => {
    const begun = scene();
    const { world, peer } = begun;
    const digest = world.server.state.prep.outstanding.digest.value;
    failing(OutputArchive.prototype, 'writeLong', 3, () => peer.push(REQUESTS[name](peer)));
    isAsBefore(begun, digest);
  });
}

test('a change that was begun and not completed ends the server', () => {
  const { world, peer } = scene();
  const { outstanding } = world.server.state.prep;
  const { digest } = outstanding;
  failing(digest, 'move', 2, () => {
    assert.throws(
      () => peer.push(peer.create('/new')),
      (error: Error) => error instanceof InvariantError,
    );
  });
});

test('a proposal that was begun and not completed ends the server', () => {
  const { world, peer } = scene();
  const { server } = world;
  failing(Reflect.get(server, 'gate'), 'keep', 1, () => {
    assert.throws(
      () => peer.push(peer.create('/new')),
      (error: Error) => error instanceof InvariantError && error.message.includes(PROBLEM),
    );
  });
});

test('an exception in a handshake closes that connection', () => {
  const { world, other } = scene();
  const stranger = world.connect();
  failing(InputArchive.prototype, 'readLong', 1, () => stranger.push(handshake({})));
  assert.ok(stranger.isClosed);
  assert.equal(problems(world), [PROBLEM]);
  const opening = world.connect();
  const { sessions } = world.server.state;
  failing(sessions, 'has', 1, () => opening.push(handshake({})));
  assert.ok(opening.isClosed);
  other.push(other.ping());
  world.ackAll();
  assert.equal(other.take().sort(), ['ping ok', 'setData ok']);
});

test('a malformed connect request that waited for a role closes its connection', () => {
  const world = new ServerWorld();
  const { server } = world;
  server.isOpen = false;
  server.connections.waiting.untilMs = 1000;
  const stranger = world.connect();
  stranger.push(Buffer.from('000000080000000000000000', 'hex'));
  assert.not.ok(stranger.isClosed, 'it waits');
  server.open(true);
  world.drain();
  assert.ok(stranger.isClosed);
});

test('a forwarded request that fails is answered with an error', () => {
  const { world } = scene();
  const { server } = world;
  const primary = server.pipeline;
  if (!(primary instanceof Primary)) throw new Error('not a primary');
  const request = { path: '/f', data: null, acl: OPEN_ACL_UNSAFE, flags: 0 };
  const bytes = OPERATION_TABLE.get(OpCode.create)?.request?.encode(request) ?? Buffer.alloc(0);
  const [session] = server.state.sessions.values();
  if (session === undefined) throw new Error('no session');
  session.owner = null;
  const origin = { name: 'learner 2', synced: () => undefined };
  const forward = () =>
    primary.forwarded({
      origin,
      sessionId: session.id,
      cxid: 1,
      type: OpCode.create,
      input: new InputArchive(Buffer.from(bytes)),
      ids: [],
      isOfKeeper: false,
    });
  const { lastLogged } = primary;
  failing(server.state.prep.outstanding, 'make', 1, forward);
  world.drain();
  assert.equal(problems(world), [PROBLEM]);
  assert.is(primary.lastLogged, lastLogged + 1n, 'an error txn');
  forward();
  world.drain();
  world.ackAll();
  assert.ok(server.state.tree.get('/f') !== undefined);
});

test.run();
