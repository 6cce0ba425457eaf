/**
 * What the random comparison leaves out or once found: differences that were faults and are mended
 * (both servers must agree), and those that stay, each with its reason (both answers are told).
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ACL } from '../../src/protocol/data.js';
import { errorName } from '../../src/protocol/error-code.js';
import { OpCode } from '../../src/protocol/op-code.js';
import { AddWatchMode, WatcherType } from '../../src/protocol/watch-event.js';
import type { RunningServer } from '../../src/server/main.js';
import { startBundled } from '../support/bundled.js';
import { hasOracle, type Oracle, oracleTest, startOracle } from '../support/oracle.js';
import { compareServers } from './support/compare.js';
import { encodeOp } from './support/encode-op.js';
import { RawClient } from './support/raw-client.js';
import type { Op, Step } from './support/world.js';

const CONFIG = {
  tickTime: '2000',
  extendedTypesEnabled: 'true',
  'znode.container.checkIntervalMs': '1000000000',
};
/** Started by the first test that needs them, stopped by the last one: a JVM takes a second. */
const shared: { servers?: Promise<Servers> } = {};

interface Servers {
  readonly oracle: Oracle;
  readonly bundled: RunningServer;
}

function serversOfFile(): Promise<Servers> {
  shared.servers ??= startBoth();
  return shared.servers;
}

async function startBoth(): Promise<Servers> {
  const [oracle, bundled] = await Promise.all([
    startOracle({ config: CONFIG }),
    startBundled({ config: CONFIG }),
  ]);
  return { oracle, bundled };
}

const OPEN: readonly ACL[] = [{ perms: 31, id: { scheme: 'world', id: 'anyone' } }];
const HIDDEN: readonly ACL[] = [{ perms: 30, id: { scheme: 'world', id: 'anyone' } }];
const LOCKED: readonly ACL[] = [{ perms: 17, id: { scheme: 'world', id: 'anyone' } }];

function create(path: string, flags = 0, acl = OPEN): Op {
  return { type: OpCode.create, value: { path, data: Buffer.from('x'), acl, flags } };
}

function createTTL(path: string, flags: number, ttl: bigint): Op {
  const value = { path, data: null, acl: OPEN, flags, ttl };
  return { type: OpCode.createTTL, value };
}

function setData(path: string): Op {
  return { type: OpCode.setData, value: { path, data: Buffer.from('y'), version: -1 } };
}

function by(client: number, ...ops: Op[]): Step {
  return { kind: 'requests', client, ops };
}

/** What was once answered differently. */
const MENDED: readonly { readonly what: string; steps(top: string): readonly Step[] }[] = [
  {
    what: 'in a multi the mode alone says which create it is',
    steps: (top) => [
      by(0, {
        type: OpCode.multi,
        ops: [
          { ...create(top), type: OpCode.create2 },
          { ...create(`${top}/c`, 4), type: OpCode.create },
          { ...create(`${top}/d`, 0), type: OpCode.createContainer },
          createTTL(`${top}/e`, 0, 5000n),
          createTTL(`${top}/f`, 5, 3_600_000n),
          createTTL(`${top}/g`, 4, -1n),
        ],
      }),
      by(0, ...['c', 'd', 'e', 'f', 'g'].map((name) => exists(`${top}/${name}`, false))),
    ],
  },
  {
    what: 'multiRead sets no watch, whatever its flags say',
    steps: (top) => [
      by(0, create(top), { type: OpCode.multiRead, ops: [getData(top, true)] }),
      by(1, setData(top)),
    ],
  },
  {
    what: 'getAllChildrenNumber of "" counts the root',
    steps: () => [
      by(0, ...['', '/'].map((path) => ({ type: OpCode.getAllChildrenNumber, value: { path } }))),
    ],
  },
  {
    what: 'reads ahead of a closeSession in the same turn are answered',
    steps: (top) => [
      by(0, create(top), getData(top, false), setData(top), getData(top, false), {
        type: OpCode.closeSession,
      }),
    ],
  },
  {
    what: 'a watch on a znode that becomes hidden tells nothing (CVE-2024-23944)',
    steps: (top) => [
      by(0, create(top)),
      by(1, getData(top, true), {
        type: OpCode.getChildren,
        value: { path: top, watch: true },
      }),
      by(0, { type: OpCode.setACL, value: { path: top, acl: HIDDEN, version: -1 } }),
      by(0, setData(top), create(`${top}/c`)),
      by(0, { type: OpCode.delete, value: { path: `${top}/c`, version: -1 } }),
      by(0, { type: OpCode.delete, value: { path: top, version: -1 } }),
    ],
  },
  {
    what: 'a session that ends takes ephemerals along that are on their way',
    steps: (top) => [
      by(0, create(top)),
      by(1, exists(`${top}/e`, true)),
      by(
        0,
        create(`${top}/e`, 1),
        { type: OpCode.delete, value: { path: `${top}/e`, version: -1 } },
        create(`${top}/e`, 1),
        create(`${top}/s-`, 3),
        { type: OpCode.closeSession },
      ),
      by(1, { type: OpCode.getChildren2, value: { path: top, watch: false } }),
    ],
  },
  {
    what: 'a multi that fails leaves nothing behind for the requests after it',
    steps: (top) => [
      by(
        0,
        create(top),
        {
          type: OpCode.multi,
          ops: [
            create(`${top}/s-`, 2),
            setData(top),
            { type: OpCode.delete, value: { path: `${top}/no`, version: -1 } },
          ],
        },
        { ...create(`${top}/s-`, 2), type: OpCode.create2 },
        { type: OpCode.setData, value: { path: top, data: null, version: 0 } },
        { type: OpCode.multi, ops: [] },
      ),
    ],
  },
];

function exists(path: string, watch: boolean): Op {
  return { type: OpCode.exists, value: { path, watch } };
}

function getData(path: string, watch: boolean): Op {
  return { type: OpCode.getData, value: { path, watch } };
}

for (const [index, { what, steps }] of MENDED.entries()) {
  oracleTest(`both: ${what}`, async () => {
    const { oracle, bundled } = await serversOfFile();
    const world = { clients: 2, steps: steps(`/mended-${index}`) };
    assert.equal(await compareServers(bundled.port, oracle.port, world), undefined);
  });
}

oracleTest('both: the order of an ACL is kept and its duplicates are dropped', async () => {
  const { oracle, bundled } = await serversOfFile();
  const ip = { perms: 1, id: { scheme: 'ip', id: '127.0.0.1' } };
  const ann = { perms: 2, id: { scheme: 'digest', id: 'ann:x' } };
  for (const { port } of [bundled, oracle]) {
    const client = await RawClient.connect(port);
    await send(client, create('/acl', 0, [ann, ...OPEN, ip, ann, ...OPEN]));
    const { value } = await client.call(OpCode.getACL, { path: '/acl' });
    assert.equal((value as { acl: readonly ACL[] }).acl, [ann, ...OPEN, ip]);
    await client.close();
  }
});

/** Sends one request; resolves with the name of its error, "ok", or "closed". */
async function send(client: RawClient, op: Op): Promise<string> {
  const reply = await client.request(op.type, encodeOp(op, 0n));
  if (reply === undefined) return 'closed';
  return reply.err === 0 ? 'ok' : (errorName(reply.err) ?? String(reply.err));
}

/** The watch events that a client was told of, as far as a ping pushes them out. */
async function eventsOf(client: RawClient): Promise<string> {
  await client.ping();
  const events = client.take().flatMap((arrival) => (arrival.kind === 'event' ? [arrival] : []));
  return events.map(({ type, path }) => `${type} ${path}`).join(', ') || 'none';
}

interface Difference {
  readonly what: string;
  readonly why: string;
  play(a: RawClient, b: RawClient, path: string): Promise<string>;
  readonly ours: string;
  /** Left out where the request does lasting harm to Apache's server. */
  readonly theirs?: string;
}

/** What stays different from 3.8.0, on purpose. */
const KEPT: readonly Difference[] = [
  {
    what: 'exists of a znode that may not be read',
    why: 'needs READ since 3.8.4 and 3.9.2 (ZOOKEEPER-2590)',
    play: async (a, _b, path) => {
      await send(a, create(path, 0, HIDDEN));
      return send(a, exists(path, false));
    },
    ours: 'NOAUTH',
    theirs: 'ok',
  },
  {
    what: 'the zxid in the header of a watch event',
    why: 'is that of the txn since 3.9.0 (ZOOKEEPER-4655)',
    play: async (a, b, path) => {
      await send(b, exists(path, true));
      const reply = await a.request(OpCode.create, encodeOp(create(path), 0n));
      await b.ping();
      const event = b.take().find(({ kind }) => kind === 'event');
      const zxid = event?.kind === 'event' ? event.zxid : undefined;
      return zxid === reply?.zxid ? 'of the create' : String(zxid);
    },
    ours: 'of the create',
    theirs: '-1',
  },
  {
    what: 'checkWatches of a path that somebody else watches',
    why: 'asks for the own watch since 3.9.0 (ZOOKEEPER-4466)',
    play: async (a, b, path) => {
      await send(b, exists(path, true));
      return send(a, watches(OpCode.checkWatches, path, WatcherType.Data));
    },
    ours: 'NOWATCHER',
    theirs: 'ok',
  },
  {
    what: 'removing persistent watches by their own type',
    why: 'the types 4 and 5 are 3.9.0 (ZOOKEEPER-4472)',
    play: async (a, _b, path) => {
      await send(a, addWatch(path, AddWatchMode.PERSISTENT));
      await send(a, addWatch(path, AddWatchMode.PERSISTENT_RECURSIVE));
      const results = [
        await send(a, watches(OpCode.removeWatches, path, WatcherType.Persistent)),
        await send(a, watches(OpCode.removeWatches, path, WatcherType.PersistentRecursive)),
        await send(a, watches(OpCode.removeWatches, path, WatcherType.Any)),
      ];
      return results.join();
    },
    ours: 'ok,ok,NOWATCHER',
    theirs: 'MARSHALLINGERROR,MARSHALLINGERROR,ok',
  },
  {
    what: 'a one-shot watch on a path with a persistent one',
    why: 'modes stand side by side since 3.9.0; before, the last replaced the others (ZOOKEEPER-4466)',
    play: async (a, _b, path) => {
      await send(a, create(path));
      await send(a, addWatch(path, AddWatchMode.PERSISTENT));
      await send(a, getData(path, true));
      await send(a, setData(path));
      await send(a, setData(path));
      return (await eventsOf(a)).replaceAll(path, 'PATH');
    },
    ours: '3 PATH, 3 PATH',
    theirs: '3 PATH',
  },
  {
    what: 'a create behind a setACL that forbids it, in one turn',
    why: 'prep holds requests against the ACL that is on its way; at Apache it is a race',
    play: async (a, _b, path) => {
      await send(a, create(path));
      const [, made] = await Promise.all([
        send(a, { type: OpCode.setACL, value: { path, acl: LOCKED, version: -1 } }),
        send(a, create(`${path}/c`)),
      ]);
      return made;
    },
    ours: 'NOAUTH',
  },
  {
    what: 'a wrong password for a session that somebody holds',
    why: 'Apache closes the connection of the owner before it looks at the password',
    play: async (a, b) => {
      const forged = { ...a.live, password: Buffer.alloc(16, 1) };
      const thief = await RawClient.connect(b.port, { session: forged });
      await thief.closed;
      const isRefused = thief.session?.id === 0n;
      return `${isRefused ? 'refused' : 'accepted'}, ${(await a.ping()) === undefined ? 'owner closed' : 'owner served'}`;
    },
    ours: 'refused, owner served',
    theirs: 'refused, owner closed',
  },
  {
    what: 'a create with a time to live but no place for it, in a multi',
    why: 'it is a bad argument; Apache trips over the record and fails the whole multi',
    play: async (a, _b, path) => {
      const reply = await a.request(
        OpCode.multi,
        encodeOp({ type: OpCode.multi, ops: [create(path, 5)] }, 0n),
      );
      return `${reply?.err}, ${reply?.body.readInt32BE(5)}`;
    },
    ours: '0, -8',
  },
  {
    what: 'createTTL of a mode without a time to live, and a negative one',
    why: 'is a bad argument; Apache logs a txn that ends it, at once and at each start',
    play: (a, _b, path) => send(a, createTTL(path, 0, -1n)),
    ours: 'BADARGUMENTS',
  },
  {
    what: 'check outside a multi',
    why: 'is refused since 3.8.5 and 3.9.3; 3.8.0 logs it and cannot start again (ZOOKEEPER-2623)',
    play: (a) => send(a, { type: OpCode.check, value: { path: '/', version: -1 } }),
    ours: 'UNIMPLEMENTED',
  },
  {
    what: 'deleteContainer from a client',
    why: 'is the own txn of a server: no client may take znodes away past their ACL',
    play: (a, _b, path) => send(a, { type: OpCode.deleteContainer, value: { path } }),
    ours: 'UNIMPLEMENTED',
  },
  {
    what: 'createSession as a request',
    why: 'is the own txn of a server; 3.8.0 answers with a second connect response',
    play: (a) => send(a, { type: OpCode.createSession }),
    ours: 'UNIMPLEMENTED',
  },
];

function addWatch(path: string, mode: number): Op {
  return { type: OpCode.addWatch, value: { path, mode } };
}

function watches(type: number, path: string, watcherType: number): Op {
  return { type, value: { path, type: watcherType } };
}

async function playOn(port: number, play: Difference['play'], path: string): Promise<string> {
  const [a, b] = await Promise.all([RawClient.connect(port), RawClient.connect(port)]);
  try {
    return await play(a, b, path);
  } finally {
    await Promise.all([a.drop(), b.drop()]);
  }
}

for (const [index, { what, why, play, ours }] of KEPT.entries()) {
  test(`ours: ${what}: ${ours} (${why})`, async () => {
    const bundled = await startBundled({ config: CONFIG });
    try {
      assert.is(await playOn(bundled.port, play, `/kept-${index}`), ours);
    } finally {
      await bundled.close();
    }
  });
}

for (const [index, { what, play, theirs }] of KEPT.entries()) {
  if (theirs === undefined) continue;
  oracleTest(`Apache 3.8.0: ${what}: ${theirs}`, async () => {
    const { oracle } = await serversOfFile();
    assert.is(await playOn(oracle.port, play, `/kept-${index}`), theirs);
  });
}

// The last one puts away what the file shared: uvu runs the tests of a file in order.
if (hasOracle) {
  test('the servers of this file end', async () => {
    const { oracle, bundled } = await serversOfFile();
    await bundled.close();
    await oracle.close();
  });
}

test.run();
