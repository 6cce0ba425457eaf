/** Limits that a client of the core exceeds: each is reported with its name, value and address. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../../src/protocol/op-code.js';
import { Perms } from '../../../src/protocol/perms.js';
import { NO_LIMITS } from '../../../src/server/limits/limit-options.js';
import { LIMITS, type LimitName } from '../../../src/server/limits/limits.js';
import type { Peer } from '../server-peer.js';
import { ServerWorld, type WorldOptions } from '../server-world.js';

interface Excess {
  readonly limit: LimitName;
  readonly value: number;
  readonly options?: WorldOptions;
  /** Exceeds the limit by a little. */
  readonly exceed: (world: ServerWorld) => Peer;
  readonly isClosed?: boolean;
  readonly isPaused?: boolean;
  /** The last answer, if any. */
  readonly last?: string;
}

const LARGE = { ...NO_LIMITS, large: { threshold: 100, maxBytes: 1000 } };

/** Creates a znode with this many bytes. */
function createWith(peer: Peer, path: string, data: Buffer, acl: unknown[] = OPEN): Buffer {
  return peer.request(OpCode.create, { path, data, acl, flags: 0 });
}

const OPEN = [{ perms: Perms.ALL, id: { scheme: 'world', id: 'anyone' } }];

const EXCESSES: readonly Excess[] = [
  {
    limit: 'connectionsInAll',
    value: 2,
    options: { maxCnxns: 2 },
    exceed: (world) => {
      for (const address of ['10.0.0.1', '10.0.0.2']) assert.not(world.connect(address).isClosed);
      return world.connect();
    },
    isClosed: true,
    last: 'closed',
  },
  {
    limit: 'sessionlessTime',
    value: 3000,
    // The key nio.sessionlessCnxnTimeout.
    options: { settings: { sessionlessTimeoutMs: 3000 } },
    exceed: (world) => {
      const peer = world.connect();
      world.clock(2500);
      assert.not(peer.isClosed);
      world.clock(1500);
      return peer;
    },
    isClosed: true,
    last: 'closed',
  },
  {
    limit: 'requestLength',
    value: 500,
    options: { settings: { maxFrameLength: 500 } },
    exceed: (world) => {
      const peer = world.client();
      peer.push(peer.bare(OpCode.getData, Buffer.alloc(493)));
      return peer;
    },
    last: 'getData BADARGUMENTS',
  },
  {
    limit: 'skippedRequestLength',
    value: LIMITS.skippedRequestLength.value,
    exceed: (world) => {
      const peer = world.client();
      const head = Buffer.alloc(12);
      head.writeInt32BE(LIMITS.skippedRequestLength.value + 1);
      peer.push(head);
      return peer;
    },
    isClosed: true,
    last: 'closed',
  },
  {
    limit: 'pendingRequests',
    value: LIMITS.pendingRequests.value,
    exceed: (world) => {
      const peer = world.client();
      peer.push(peer.create('/a'));
      const reads = Array.from({ length: LIMITS.pendingRequests.value - 1 }, () => peer.ping());
      peer.push(Buffer.concat(reads));
      assert.not(peer.isPaused);
      peer.push(peer.ping());
      return peer;
    },
    isPaused: true,
  },
  {
    limit: 'requestsInFlight',
    value: 2,
    options: { settings: { globalOutstandingLimit: 2 } },
    exceed: (world) => {
      const peer = world.client();
      peer.push(Buffer.concat([peer.create('/a'), peer.create('/b')]));
      assert.not(peer.isPaused);
      peer.push(peer.create('/c'));
      return peer;
    },
    isPaused: true,
  },
  {
    limit: 'largeRequestBytes',
    value: 1000,
    options: { settings: { limits: LARGE } },
    exceed: (world) => {
      const peer = world.client();
      for (const path of ['/a', '/b']) peer.push(createWith(peer, path, Buffer.alloc(500)));
      return peer;
    },
    isClosed: true,
    last: 'closed',
  },
  {
    limit: 'aclEntries',
    value: LIMITS.aclEntries.value,
    options: { settings: { maxFrameLength: 1 << 24 } },
    exceed: (world) => {
      const peer = world.client();
      const entryOf = (scheme: string, id: string) => ({ perms: 1, id: { scheme, id } });
      const count = LIMITS.aclEntries.value + 1;
      const long = Array.from({ length: count }, (_, i) => entryOf('digest', `${i}:x`));
      const auth = { type: 0, scheme: 'digest', auth: Buffer.from('bob:secret') };
      peer.push(peer.request(OpCode.auth, auth, -4));
      peer.push(createWith(peer, '/a', Buffer.alloc(0), [...long, entryOf('auth', '')]));
      return peer;
    },
    last: 'create INVALIDACL',
  },
];

for (const { limit, value, options, exceed, isClosed, isPaused, last } of EXCESSES) {
  test(`a client that exceeds ${limit} is reported, and others are not affected`, () => {
    const world = new ServerWorld(options);
    const peer = exceed(world);
    const reports = world.effects.flatMap((effect) =>
      effect.kind === 'report' && effect.report.kind === 'limit-exceeded' ? [effect.report] : [],
    );
    const from = '127.0.0.1';
    assert.equal(reports, [{ kind: 'limit-exceeded', limit, value, from, times: 1 }]);
    assert.is(peer.isClosed, isClosed ?? false);
    assert.is(peer.isPaused, isPaused ?? false);
    world.ackAll();
    assert.is(peer.isPaused, false);
    if (last !== undefined) assert.is(peer.take().at(-1), last);
    assert.is(world.server.outstandingRequests, 0);
    assert.is(world.server.state.inFlight.bytes, 0);
  });
}

test.run();
