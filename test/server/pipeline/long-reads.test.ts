/** Where long reads yield, what they cost, and what they answer. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InputArchive } from '../../../src/jute/input-archive.js';
import { OutputArchive } from '../../../src/jute/output-archive.js';
import { ErrorCode } from '../../../src/protocol/error-code.js';
import { ListRequestType } from '../../../src/protocol/keeper-dialect.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { OPERATION_TABLE } from '../../../src/protocol/operation-table.js';
import { Perms } from '../../../src/protocol/perms.js';
import { LongReads } from '../../../src/server/pipeline/long-reads.js';
import { WatchNotifier } from '../../../src/server/pipeline/watch-notifier.js';
import type { ClientConnection } from '../../../src/server/state/client-connection.js';
import type { Peer } from '../server-peer.js';
import { ServerWorld } from '../server-world.js';

const EPHEMERAL = 1;
const SLICE = 1000;

interface Outcome {
  readonly err: ErrorCode;
  readonly yields: number;
  readonly steps: number;
  readonly body: InputArchive;
}

class World extends ServerWorld {
  readonly peer: Peer = this.client();
  readonly connection = [...this.server.state.connections.values()][0] as ClientConnection;
  private readonly reads = new LongReads(this.server.state, new WatchNotifier(this.server.state));

  create(...paths: string[]): void {
    for (const path of paths) this.peer.push(this.peer.create(path));
    this.ackAll();
  }

  /** `count` ephemerals below `parent`. */
  fill(parent: string, count: number): void {
    const creates = Array.from({ length: count }, (_, at) =>
      this.peer.create(`${parent}/n${at}`, EPHEMERAL),
    );
    for (let at = 0; at < count; at += 50) {
      this.peer.push(Buffer.concat(creates.slice(at, at + 50)));
      this.ackAll();
    }
  }

  read(type: number, value: unknown): Outcome {
    const bytes = OPERATION_TABLE.get(type)?.request?.encode(value) ?? Buffer.alloc(0);
    const body = new OutputArchive();
    const run = this.reads.begin(this.connection, type, new InputArchive(bytes), body);
    assert.ok(run !== undefined);
    return this.finish(run, body);
  }

  children(type: number, path: string, meanwhile = () => undefined as unknown): Outcome {
    const body = new OutputArchive();
    const request = { type, path, watched: path, listType: ListRequestType.all };
    return this.finish(this.reads.getChildren(this.connection, body, request), body, meanwhile);
  }

  private finish(
    run: Generator<void, ErrorCode, undefined>,
    body: OutputArchive,
    meanwhile = () => undefined as unknown,
  ): Outcome {
    const { work } = this.server.state;
    work.steps = 0;
    for (let yields = 0; ; yields++) {
      const { done, value } = run.next();
      const { steps } = work;
      if (done === true) return { err: value, yields, steps, body: new InputArchive(body.view()) };
      meanwhile();
      work.steps = steps;
    }
  }
}

const LISTS = [
  'dataWatches',
  'existWatches',
  'childWatches',
  'persistentWatches',
  'persistentRecursiveWatches',
] as const;
const NONE = Object.fromEntries(LISTS.map((list) => [list, []]));

for (const [list, data, child] of [
  ['dataWatches', 1, 0],
  ['existWatches', 1, 0],
  ['childWatches', 0, 1],
  ['persistentWatches', 1, 1],
  ['persistentRecursiveWatches', 1, 0],
] as const) {
  test(`setWatches2 of ${list} yields after each thousand`, () => {
    for (const [count, yields] of [
      [1, 0],
      [SLICE - 1, 0],
      [SLICE, 1],
      [2 * SLICE + 1, 2],
    ] as const) {
      const world = new World();
      const isExist = list === 'existWatches';
      const paths = Array.from({ length: count }, (_, at) => `/n${at}`);
      if (!isExist) {
        world.fill('', Math.min(count, 10));
      }
      const known = isExist || list.startsWith('persistent') ? paths : repeated(count);
      const got = world.read(OpCode.setWatches2, {
        relativeZxid: 0x7fffn,
        ...NONE,
        [list]: known,
      });
      assert.equal([got.err, got.yields, got.steps], [ErrorCode.OK, yields, 8 * count]);
      const { dataWatches, childWatches } = world.server.state;
      const set = new Set(known).size;
      assert.equal([dataWatches.size, childWatches.size], [data * set, child * set]);
    }
  });
}

/** The paths of ten znodes, again and again. */
function repeated(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `/n${at % Math.min(count, 10)}`);
}

test('setWatches has no persistent watches', () => {
  const world = new World();
  const value = { relativeZxid: 0x7fffn, dataWatches: ['/'], existWatches: ['/x'] };
  const got = world.read(OpCode.setWatches, { ...value, childWatches: ['/'] });
  assert.equal([got.err, got.yields, got.steps], [ErrorCode.OK, 0, 24]);
  const { dataWatches, childWatches } = world.server.state;
  assert.equal([dataWatches.size, childWatches.size], [2, 1]);
});

test('getAllChildrenNumber counts all below a znode, and the root twice', () => {
  const world = new World();
  world.create('/a', '/a/b', '/a/b/c', '/a/d', '/e');
  const count = (path: string) => {
    const { err, body } = world.read(OpCode.getAllChildrenNumber, { path });
    return err === ErrorCode.OK ? body.readInt() : err;
  };
  // With /zookeeper, /zookeeper/config, and /zookeeper/quota.
  assert.is(count('/'), 8);
  assert.is(count(''), 9);
  assert.is(count('/a'), 3);
  assert.is(count('/a/b'), 1);
  assert.is(count('/e'), 0);
  assert.is(count('/none'), ErrorCode.NONODE);
  const acl = [{ perms: Perms.WRITE, id: { scheme: 'world', id: 'anyone' } }];
  world.peer.push(world.peer.request(OpCode.setACL, { path: '/a', acl, version: -1 }));
  world.ackAll();
  assert.is(count('/a'), ErrorCode.NOAUTH);
  assert.is(count('/a/b'), 1);
});

for (const [count, yields] of [
  [SLICE - 2, 0],
  [SLICE - 1, 1],
  [2 * SLICE, 2],
] as const) {
  test(`getAllChildrenNumber of ${count} znodes yields ${yields} times, and costs each once`, () => {
    const world = new World();
    world.create('/p');
    world.fill('/p', count);
    const got = world.read(OpCode.getAllChildrenNumber, { path: '/p' });
    // The znode itself is visited, too.
    assert.equal([got.err, got.yields, got.steps], [ErrorCode.OK, yields, count + 1]);
    assert.is(got.body.readInt(), count);
  });
}

function stringsIn(body: InputArchive): string[] {
  return Array.from({ length: body.readInt() }, () => body.readString() ?? '');
}

test('getEphemerals lists those of the session below a path', () => {
  const world = new World();
  world.create('/p', '/q');
  world.fill('/p', 3);
  world.fill('/q', 1);
  const list = (prefixPath: string) => {
    const { err, body } = world.read(OpCode.getEphemerals, { prefixPath });
    assert.is(err, ErrorCode.OK);
    return stringsIn(body).sort().join(' ');
  };
  const all = '/p/n0 /p/n1 /p/n2 /q/n0';
  for (const prefix of ['', ' ', '/', ' / ']) assert.is(list(prefix), all, `"${prefix}"`);
  assert.is(list('/p'), '/p/n0 /p/n1 /p/n2');
  assert.is(list('/q/n0'), '/q/n0');
  assert.is(list('/none'), '');
});

test('getEphemerals yields after a thousand steps, of which long paths take more', () => {
  const world = new World();
  world.create('/p');
  world.fill('/p', 1500);
  const none = world.read(OpCode.getEphemerals, { prefixPath: '/none' });
  assert.equal([none.yields, none.steps], [1, 1500]);
  const all = world.read(OpCode.getEphemerals, { prefixPath: '/' });
  assert.is(all.yields, 1);
  const bytes = stringsIn(all.body).reduce((sum, path) => sum + path.length, 0);
  const steps = 1500 + bytes / 64;
  assert.ok(Math.abs(all.steps - steps) <= 2, `${all.steps} steps of ${steps}`);
});

test('getEphemerals yields at a thousand steps, not only beyond', () => {
  const world = new World();
  world.fill('', SLICE);
  const none = world.read(OpCode.getEphemerals, { prefixPath: '/none' });
  assert.equal([none.yields, none.steps], [1, SLICE]);
});

test('getChildren yields after a thousand steps, and sets its watch at the end', () => {
  const world = new World();
  world.create('/p');
  world.fill('/p', 1500);
  const { childWatches } = world.server.state;
  const got = world.children(OpCode.getChildren, '/p', () => {
    assert.is(childWatches.size, 0);
  });
  assert.equal([got.err, got.yields, childWatches.size], [ErrorCode.OK, 1, 1]);
  const names = stringsIn(got.body);
  assert.equal([names.length, new Set(names).size, got.body.remaining], [1500, 1500, 0]);
  const bytes = got.body.end - 4;
  const steps = 1500 + bytes / 64;
  assert.ok(Math.abs(got.steps - steps) <= 2, `${got.steps} steps of ${steps}`);
  const stat = world.children(OpCode.getChildren2, '/p');
  stringsIn(stat.body);
  assert.is(stat.body.remaining, 68);
});

test('a list of children that changes begins again, and the third time it does not yield', () => {
  const changes: readonly [what: string, change: (world: World) => Buffer][] = [
    ['another child', ({ peer }) => peer.create('/p/new')],
    ['fewer', ({ peer }) => peer.request(OpCode.delete, { path: '/p/n7', version: -1 })],
    [
      'another ACL',
      ({ peer }) =>
        peer.request(OpCode.setACL, {
          path: '/p',
          acl: [{ perms: Perms.ALL, id: { scheme: 'world', id: 'anyone' } }],
          version: -1,
        }),
    ],
  ];
  for (const [what, change] of changes) {
    const world = new World();
    world.create('/p');
    world.fill('/p', 1500);
    let changed = 0;
    const got = world.children(OpCode.getChildren, '/p', () => {
      if (changed++ > 0) return;
      world.peer.push(change(world));
      world.ackAll();
    });
    assert.is(got.yields, 2, what);
    assert.is(
      stringsIn(got.body).length,
      1500 + Number(what === 'another child') - Number(what === 'fewer'),
    );
  }
  const world = new World();
  world.create('/p');
  world.fill('/p', 1500);
  let made = 0;
  const got = world.children(OpCode.getChildren, '/p', () => world.create(`/p/more${made++}`));
  assert.equal([got.err, got.yields, made], [ErrorCode.OK, 2, 2]);
  assert.is(stringsIn(got.body).length, 1502);
});

test('a list of children that goes away is refused', () => {
  const world = new World();
  world.create('/p');
  world.fill('/p', 1500);
  const got = world.children(OpCode.getChildren, '/p', () => {
    const acl = [{ perms: Perms.WRITE, id: { scheme: 'world', id: 'anyone' } }];
    world.peer.push(world.peer.request(OpCode.setACL, { path: '/p', acl, version: -1 }));
    world.ackAll();
  });
  assert.equal([got.err, got.yields], [ErrorCode.NOAUTH, 1]);
  assert.is(world.children(OpCode.getChildren, '/none').err, ErrorCode.NONODE);
  assert.is(world.server.state.childWatches.size, 0);
});

test.run();
