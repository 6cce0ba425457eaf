/**
 * Differences from Apache's 3.8.0 that stay, each with its reason: what the bundled server answers,
 * and what Apache's does, where asking it does no lasting harm.
 */
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { errorName } from '../../src/protocol/error-code.js';
import { OpCode } from '../../src/protocol/op-code.js';
import { AddWatchMode, WatcherType } from '../../src/protocol/watch-event.js';
import { startBundled } from '../support/bundled.js';
import { oracleTest, startOracle } from '../support/oracle.js';
import { SharedByTests } from '../support/shared-by-tests.js';
import { makeTempDir } from '../support/temp-dir.js';
import { encodeOp } from './support/encode-op.js';
import {
  addWatch,
  create,
  createTTL,
  exists,
  getData,
  HIDDEN,
  LOCKED,
  send,
  setData,
  watches,
} from './support/ops.js';
import { RawClient } from './support/raw-client.js';

const CONFIG = {
  tickTime: '2000',
  extendedTypesEnabled: 'true',
  'znode.container.checkIntervalMs': '1000000000',
};
/** Started by the first test that needs it, stopped by the last one: a JVM takes a second. */
const shared = new SharedByTests(() => startOracle({ config: CONFIG }));

/** The watch events that a client was told of, as far as a ping pushes them out. */
async function eventsOf(client: RawClient): Promise<string> {
  await client.ping();
  const events = client.take().flatMap((arrival) => (arrival.kind === 'event' ? [arrival] : []));
  return events.map(({ type, path }) => `${type} ${path}`).join(', ') || 'none';
}

interface Told {
  readonly what: string;
  readonly why: string;
}

interface Difference extends Told {
  play(a: RawClient, b: RawClient, path: string): Promise<string>;
  readonly ours: string;
  /** Left out where the request does lasting harm to Apache's server. */
  readonly theirs?: string;
}

/** What stays different from 3.8.0, on purpose. */
const KEPT: readonly Difference[] = [
  {
    what: 'exists of a znode that the client may not read',
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
    why: 'is the zxid of the txn since 3.9.0 (ZOOKEEPER-4655)',
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
    what: 'checkWatches of a path that another client watches',
    why: "checks only the client's watches since 3.9.0 (ZOOKEEPER-4466)",
    play: async (a, b, path) => {
      await send(b, exists(path, true));
      return send(a, watches(OpCode.checkWatches, path, WatcherType.Data));
    },
    ours: 'NOWATCHER',
    theirs: 'ok',
  },
  {
    what: 'removing persistent watches by their type',
    why: 'the types 4 and 5 exist since 3.9.0 (ZOOKEEPER-4472)',
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
    why: 'both stay active since 3.9.0; before, the last one replaced the other (ZOOKEEPER-4466)',
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
    what: 'a create2 within a multi',
    why: 'is answered as create2 since 3.9.0; before, as create',
    play: async (a, _b, path) => {
      const op = { ...create(path), type: OpCode.create2 };
      const reply = await a.request(OpCode.multi, encodeOp({ type: OpCode.multi, ops: [op] }, 0n));
      return `type ${reply?.body.readInt32BE(0)}`;
    },
    ours: 'type 15',
    theirs: 'type 1',
  },
  {
    what: 'a create sent right after a setACL that forbids it',
    why: 'fails here, as each request is checked against pending changes; a race in Apache',
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
    what: 'a wrong password for a session that another client has',
    why: 'Apache closes the connection of the owner before it checks the password',
    play: async (a, b) => {
      const forged = { ...a.live, password: Buffer.alloc(16, 1) };
      const thief = await RawClient.connect(b.port, { session: forged });
      await thief.closed;
      const thiefIs = thief.session?.id === 0n ? 'refused' : 'accepted';
      const ownerIs = (await a.ping()) === undefined ? 'closed' : 'served';
      return `${thiefIs}, owner ${ownerIs}`;
    },
    ours: 'refused, owner served',
    theirs: 'refused, owner closed',
  },
  {
    what: 'a create of a TTL mode in a multi, without a TTL',
    why: 'is a bad argument; Apache cannot read the record and fails the whole multi',
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
    what: 'createTTL of a mode without a TTL, or with a negative TTL',
    why: 'is a bad argument; Apache logs a txn that crashes it, at once and at each start',
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
    why: 'is only for servers, since it bypasses the ACL',
    play: (a, _b, path) => send(a, { type: OpCode.deleteContainer, value: { path } }),
    ours: 'UNIMPLEMENTED',
  },
  {
    what: 'createSession as a request',
    why: 'is only for servers; 3.8.0 answers with a second connect response',
    play: (a) => send(a, { type: OpCode.createSession }),
    ours: 'UNIMPLEMENTED',
  },
  {
    what: 'a request whose txn exceeds the limit for reading the log',
    why: 'is refused; Apache logs it and cannot start again',
    play: async (a, _b, path) => {
      // Each `auth` in an ACL becomes all the ids that the client has.
      for (let i = 0; i < 50; i++) {
        const auth = Buffer.from(`user-${i}:password`);
        await a.call(OpCode.auth, { type: 0, scheme: 'digest', auth });
      }
      const acl = [{ perms: 31, id: { scheme: 'auth', id: '' } }];
      const ops = Array.from({ length: 1500 }, (_, i) => create(`${path}-${i}`, 0, acl));
      const reply = await a.request(OpCode.multi, encodeOp({ type: OpCode.multi, ops }, 0n));
      return `${errorName(reply?.err ?? 0)}, ${await send(a, exists(`${path}-0`, false))}`;
    },
    ours: 'MARSHALLINGERROR, NONODE',
  },
];

/** What differs at the start, and so is no request's. */
const EMPTY_WITHOUT_AUTOCREATE: Told = {
  what: 'an empty folder with db.autocreate=false',
  why: 'fails the start, unless zkserver init marked it, as a lost disk must not look like a new server; a standalone Apache server starts, and refuses every client',
};
const NO_AUTOCREATE = { 'db.autocreate': 'false' };

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
  const work = shared.use(async ({ port }) => {
    assert.is(await playOn(port, play, `/kept-${index}`), theirs);
  });
  oracleTest(`Apache 3.8.0: ${what}: ${theirs}`, work);
}

test(`ours: ${EMPTY_WITHOUT_AUTOCREATE.what}: ${EMPTY_WITHOUT_AUTOCREATE.why}`, async () => {
  const home = makeTempDir('kept');
  try {
    const message = await startBundled({ dataDir: home.path, config: NO_AUTOCREATE }).then(
      (server) => server.close().then(() => 'serves'),
      (error: Error) => error.message,
    );
    assert.match(message, /is empty, and db\.autocreate=false/);
  } finally {
    home.remove();
  }
});

oracleTest(
  `Apache 3.8.0: ${EMPTY_WITHOUT_AUTOCREATE.what}: starts, and serves nobody`,
  async () => {
    const oracle = await startOracle({ config: NO_AUTOCREATE });
    try {
      const client = await RawClient.connect(oracle.port);
      assert.is(await send(client, exists('/zookeeper', false)), 'closed');
      await client.drop();
    } finally {
      await oracle.close();
    }
  },
);

test('zkserver(8) lists what differs on purpose, and nothing else', () => {
  const page = readFileSync(new URL('../../../man/zkserver.8', import.meta.url), 'utf8');
  const [, section = ''] = /^\.SH DIFFERENCES$([\s\S]*?)^\.SH /m.exec(page) ?? [];
  const listed = [...section.matchAll(/^\.IP \\\(bu 2\n(.*)\n(.*)$/gm)];
  const plain = (text = '') => text.replaceAll('\\-', '-');
  assert.equal(
    listed.map(([, what, why]) => `${plain(what)} ${plain(why)}`),
    [...KEPT, EMPTY_WITHOUT_AUTOCREATE].map(({ what, why }) => `${what}: ${why}.`),
  );
});

test.run();
