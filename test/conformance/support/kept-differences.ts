import { errorName } from '../../../src/protocol/error-code.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { AddWatchMode, WatcherType } from '../../../src/protocol/watch-event.js';
import { encodeOp } from './encode-op.js';
import {
  addWatch,
  create,
  createTTL,
  exists,
  getData,
  HIDDEN,
  LOCKED,
  OPEN,
  send,
  setData,
  watches,
} from './ops.js';
import { RawClient } from './raw-client.js';

/** The watch events of a client that arrive before the response to a ping. */
async function eventsOf(client: RawClient): Promise<string> {
  await client.ping();
  const events = client.take().flatMap((arrival) => (arrival.kind === 'event' ? [arrival] : []));
  return events.map(({ type, path }) => `${type} ${path}`).join(', ') || 'none';
}

export interface Told {
  readonly what: string;
  /** The releases of Apache's server that differ. */
  readonly from: '3.8' | '3.9' | '3.8 and 3.9';
  readonly why: string;
}

export interface Difference extends Told {
  play(a: RawClient, b: RawClient, path: string): Promise<string>;
  readonly ours: string;
  /** Omitted if the request does lasting harm to Apache's server. */
  readonly theirs?: string;
  /** The response of Apache's 3.9; default `theirs`. */
  readonly theirs39?: string;
}

/** The intended differences. Each plays on two connections to one server. */
export const KEPT: readonly Difference[] = [
  {
    what: 'exists of a znode that the client may not read',
    from: '3.8',
    why: 'needs READ since 3.8.4 and 3.9.2 (ZOOKEEPER-2590)',
    play: async (a, _b, path) => {
      await send(a, create(path, 0, HIDDEN));
      return send(a, exists(path, false));
    },
    ours: 'NOAUTH',
    theirs39: 'NOAUTH',
    theirs: 'ok',
  },
  {
    what: 'setWatches of a changed znode that the client may not read',
    from: '3.8 and 3.9',
    why: 'sends no event, as a live watch (CVE-2024-23944)',
    play: async (a, _b, path) => {
      await send(a, create(path, 0, HIDDEN));
      const existWatches = [path];
      const value = { relativeZxid: 0n, dataWatches: [], existWatches, childWatches: [] };
      await send(a, { type: OpCode.setWatches, value });
      return (await eventsOf(a)).replaceAll(path, 'PATH');
    },
    ours: 'none',
    theirs: '1 PATH',
  },
  {
    what: 'the zxid in the header of a watch event',
    from: '3.8',
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
    theirs39: 'of the create',
    theirs: '-1',
  },
  {
    what: 'checkWatches of a path that another client watches',
    from: '3.8',
    why: "checks only the client's watches since 3.9.0 (ZOOKEEPER-4466)",
    play: async (a, b, path) => {
      await send(b, exists(path, true));
      return send(a, watches(OpCode.checkWatches, path, WatcherType.Data));
    },
    ours: 'NOWATCHER',
    theirs39: 'NOWATCHER',
    theirs: 'ok',
  },
  {
    what: 'removing persistent watches by their type',
    from: '3.8',
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
    theirs39: 'ok,ok,NOWATCHER',
    theirs: 'MARSHALLINGERROR,MARSHALLINGERROR,ok',
  },
  {
    what: 'a one-shot watch on a path with a persistent one',
    from: '3.8',
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
    theirs39: '3 PATH, 3 PATH',
    theirs: '3 PATH',
  },
  {
    what: 'a create2 within a multi',
    from: '3.8',
    why: 'is answered as create2 since 3.9.0; before, as create',
    play: async (a, _b, path) => {
      const op = { ...create(path), type: OpCode.create2 };
      const reply = await a.request(OpCode.multi, encodeOp({ type: OpCode.multi, ops: [op] }, 0n));
      return `type ${reply?.body.readInt32BE(0)}`;
    },
    ours: 'type 15',
    theirs39: 'type 15',
    theirs: 'type 1',
  },
  {
    what: 'a createContainer of another mode within a multi',
    from: '3.8',
    why: 'makes a container since 3.9.0; before, the mode decided',
    play: async (a, _b, path) => {
      const op = { ...create(path), type: OpCode.createContainer };
      const reply = await a.request(OpCode.multi, encodeOp({ type: OpCode.multi, ops: [op] }, 0n));
      return `type ${reply?.body.readInt32BE(0)}`;
    },
    ours: 'type 15',
    theirs39: 'type 15',
    theirs: 'type 1',
  },
  {
    what: 'a create of an invalid mode within a multi',
    from: '3.8',
    why: 'fails the whole multi as an unreadable request since 3.9.0; before, as a bad argument',
    play: async (a, _b, path) => {
      const op = create(path, 7);
      const reply = await a.request(OpCode.multi, encodeOp({ type: OpCode.multi, ops: [op] }, 0n));
      return errorName(reply?.err ?? 0) ?? 'OK';
    },
    ours: 'MARSHALLINGERROR',
    theirs39: 'MARSHALLINGERROR',
    theirs: 'OK',
  },
  {
    what: 'a write that cannot be decoded',
    from: '3.9',
    why: 'takes a zxid, as up to 3.8, so that each member learns of it; 3.9 logs none',
    play: async (a, _b, path) => {
      const before = await a.request(OpCode.create, encodeOp(create(path), 0n));
      const reply = await a.request(OpCode.setData, encodeOp({ ...setData(path), cut: 6 }, 0n));
      const taken = (reply?.zxid ?? 0n) - (before?.zxid ?? 0n);
      return `${errorName(reply?.err ?? 0)}, ${taken} zxids`;
    },
    ours: 'MARSHALLINGERROR, 1 zxids',
    theirs: 'MARSHALLINGERROR, 1 zxids',
    theirs39: 'MARSHALLINGERROR, 0 zxids',
  },
  {
    what: 'a create sent right after a setACL that forbids it',
    from: '3.8 and 3.9',
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
    from: '3.8 and 3.9',
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
    what: 'createTTL of a mode without a TTL, or with a negative TTL',
    from: '3.8 and 3.9',
    why: 'is a bad argument; Apache logs a txn that crashes it, at once and at each start',
    play: (a, _b, path) => send(a, createTTL(path, 0, -1n)),
    ours: 'BADARGUMENTS',
  },
  {
    what: 'check outside a multi',
    from: '3.8',
    why: 'is refused since 3.8.5 and 3.9.3; 3.8.0 logs it and cannot start again (ZOOKEEPER-2623)',
    play: (a) => send(a, { type: OpCode.check, value: { path: '/', version: -1 } }),
    ours: 'UNIMPLEMENTED',
  },
  {
    what: 'deleteContainer from a client',
    from: '3.8 and 3.9',
    why: 'is refused: it is only for servers, because it bypasses the ACL',
    play: (a, _b, path) => send(a, { type: OpCode.deleteContainer, value: { path } }),
    ours: 'UNIMPLEMENTED',
  },
  {
    what: 'createSession as a request',
    from: '3.8 and 3.9',
    why: 'is refused: it is only for servers; 3.8.0 answers with a second connect response',
    play: (a) => send(a, { type: OpCode.createSession }),
    ours: 'UNIMPLEMENTED',
  },
  {
    what: 'a request above jute.maxbuffer',
    from: '3.8 and 3.9',
    why: 'is answered, up to 64 MiB; Apache closes the connection, and clients repeat the request',
    play: async (a, _b, path) => {
      const value = { path, data: Buffer.alloc(1_100_000), version: -1 };
      return send(a, { type: OpCode.setData, value });
    },
    ours: 'BADARGUMENTS',
    theirs: 'closed',
  },
  {
    what: 'a request whose txn exceeds the limit for reading the log',
    from: '3.8 and 3.9',
    why: 'is refused; Apache logs it and cannot start again',
    play: async (a, _b, path) => {
      // Each `auth` in an ACL becomes all the ids of the client.
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
  {
    what: 'an echoed path with characters beyond the basic plane',
    from: '3.8 and 3.9',
    why: 'is UTF-8; Java encodes each half of a surrogate pair, which is not',
    play: async (a, _b, path) => {
      const sync = { type: OpCode.sync, value: { path: `${path}\u{1f418}` } };
      const reply = await a.request(OpCode.sync, encodeOp(sync, 0n));
      return reply?.body.subarray(4 + path.length).toString('hex') ?? 'closed';
    },
    ours: 'f09f9098',
    theirs: 'eda0bdedb098',
  },
  {
    what: 'a multi whose operations together exceed a hard quota',
    from: '3.8 and 3.9',
    why: 'fails, as do requests in flight; Apache counts only applied ones (ZOOKEEPER-5074)',
    play: async (a, _b, path) => {
      const owner = `/zookeeper/quota${path}`;
      const limits = Buffer.from('count=-1,bytes=-1=;byteHardLimit=-1;countHardLimit=2');
      const usage = Buffer.from('count=0,bytes=0');
      const holding = (of: string, data: Buffer) => {
        return { type: OpCode.create, value: { path: of, data, acl: OPEN, flags: 0 } };
      };
      await send(a, create(path));
      await send(a, create(owner));
      await send(a, holding(`${owner}/zookeeper_limits`, limits));
      await send(a, holding(`${owner}/zookeeper_stats`, usage));
      const ops = ['a', 'b'].map((name) => create(`${path}/${name}`));
      await send(a, { type: OpCode.multi, ops });
      return send(a, exists(`${path}/b`, false));
    },
    ours: 'NONODE',
    theirs: 'ok',
  },
  {
    what: 'multiRead with a write among its operations',
    from: '3.8 and 3.9',
    why: 'is answered with an error alone; Apache writes an empty result after it, which no client reads',
    play: async (a, _b, path) => {
      const op = { type: OpCode.multiRead, ops: [create(path)] };
      const reply = await a.request(OpCode.multiRead, encodeOp(op, 0n));
      return `${errorName(reply?.err ?? 0)}, ${reply?.body.length} bytes more`;
    },
    ours: 'MARSHALLINGERROR, 0 bytes more',
    theirs: 'MARSHALLINGERROR, 9 bytes more',
  },
];
