/** What a create asks for: each wrong or missing part has its error, and the limits are exact. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CreateModes, MAX_TTL_MS } from '../../../src/protocol/create-mode.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { OPEN_ACL_UNSAFE } from '../../../src/protocol/perms.js';
import type { Peer } from '../server-peer.js';
import { ServerWorld } from '../server-world.js';

const { CONTAINER, EPHEMERAL, PERSISTENT_SEQUENTIAL, PERSISTENT_WITH_TTL } = CreateModes;
const SEQUENTIAL_TTL = CreateModes.PERSISTENT_SEQUENTIAL_WITH_TTL;

type Wanted = readonly [type: 'create' | 'createTTL', path: string, flags: number, ttl: bigint];

function answerTo(isTTLEnabled: boolean, [type, path, flags, ttl]: Wanted): string {
  const world = new ServerWorld({ settings: { isTTLEnabled } });
  const peer: Peer = world.client();
  peer.push(Buffer.concat([peer.create('/p'), peer.create('/e', EPHEMERAL.flag)]));
  world.ackAll();
  peer.take();
  const request = { path, data: null, acl: OPEN_ACL_UNSAFE, flags, ttl };
  peer.push(peer.request(OpCode[type], request));
  world.ackAll();
  return peer.take().join();
}

const REFUSED: readonly (readonly [error: string, wanted: Wanted])[] = [
  ['BADARGUMENTS', ['create', '/a', PERSISTENT_WITH_TTL.flag, 5n]],
  ['BADARGUMENTS', ['create', '/a', SEQUENTIAL_TTL.flag, 5n]],
  ['BADARGUMENTS', ['create', '/a', 7, 0n]],
  ['BADARGUMENTS', ['create', '/a', -1, 0n]],
  ['BADARGUMENTS', ['createTTL', '/a', 0, 5n]],
  ['BADARGUMENTS', ['createTTL', '/a', EPHEMERAL.flag, 5n]],
  ['BADARGUMENTS', ['createTTL', '/a', CONTAINER.flag, 5n]],
  ['BADARGUMENTS', ['createTTL', '/a', PERSISTENT_WITH_TTL.flag, 0n]],
  ['BADARGUMENTS', ['createTTL', '/a', PERSISTENT_WITH_TTL.flag, -1n]],
  ['BADARGUMENTS', ['createTTL', '/a', PERSISTENT_WITH_TTL.flag, MAX_TTL_MS + 1n]],
  ['BADARGUMENTS', ['create', '', 0, 0n]],
  ['BADARGUMENTS', ['create', 'a', 0, 0n]],
  ['BADARGUMENTS', ['create', '/p/', 0, 0n]],
  ['NONODE', ['create', '/p//a', 0, 0n]],
  ['BADARGUMENTS', ['create', '/p/..', 0, 0n]],
  ['BADARGUMENTS', ['create', '/p/a\u0000', 0, 0n]],
  ['NONODE', ['create', '/missing/a', 0, 0n]],
  ['NODEEXISTS', ['create', '/p', 0, 0n]],
  ['NOCHILDRENFOREPHEMERALS', ['create', '/e/a', 0, 0n]],
];

for (const [error, wanted] of REFUSED) {
  test(`${wanted.map(String).map((part) => JSON.stringify(part))} is ${error}`, () => {
    assert.is(answerTo(true, wanted), `${wanted[0]} ${error}`);
  });
}

const MADE: readonly Wanted[] = [
  ['createTTL', '/a', PERSISTENT_WITH_TTL.flag, 1n],
  ['createTTL', '/a', PERSISTENT_WITH_TTL.flag, MAX_TTL_MS],
  ['createTTL', '/p/a-', SEQUENTIAL_TTL.flag, 5n],
  ['create', '/p/', PERSISTENT_SEQUENTIAL.flag, 0n],
  ['create', '/a', CONTAINER.flag, 0n],
];

for (const wanted of MADE) {
  test(`${wanted.map(String)} is made`, () => {
    assert.is(answerTo(true, wanted), `${wanted[0]} ok`);
  });
}

test('without extendedTypesEnabled, a TTL is unknown, and the rest is not', () => {
  for (const { flag } of [PERSISTENT_WITH_TTL, SEQUENTIAL_TTL]) {
    assert.is(answerTo(false, ['createTTL', '/a', flag, 5n]), 'createTTL UNIMPLEMENTED');
  }
  assert.is(answerTo(false, ['create', '/a', CONTAINER.flag, 0n]), 'create ok');
});

test.run();
