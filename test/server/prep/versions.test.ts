/** What a request says about the version of a znode: another one is refused, and -1 is any. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../../src/protocol/op-code.js';
import { OPEN_ACL_UNSAFE } from '../../../src/protocol/perms.js';
import { ByteBuilder } from '../../support/bytes/byte-builder.js';
import type { Peer } from '../server-peer.js';
import { ServerWorld } from '../server-world.js';

function check(peer: Peer, version: number): Buffer {
  const part = new ByteBuilder().int(OpCode.check).bool(false).int(-1).string('/a').int(version);
  return peer.bare(OpCode.multi, part.int(-1).bool(true).int(-1).build());
}

/** The first error of a multi, which its header does not have. */
function multiError(peer: Peer): number {
  return peer.bytes.readInt32BE(peer.bytes.length - 13);
}

/** A znode whose version and aversion are 1. */
function makeWorld(): { world: ServerWorld; peer: Peer } {
  const world = new ServerWorld();
  const peer = world.client();
  peer.push(Buffer.concat([peer.create('/a'), peer.setData('/a'), setAcl(peer, -1)]));
  world.ackAll();
  peer.take();
  return { world, peer };
}

function setAcl(peer: Peer, version: number): Buffer {
  return peer.request(OpCode.setACL, { path: '/a', acl: OPEN_ACL_UNSAFE, version });
}

const ASKS: readonly [name: string, ask: (peer: Peer, version: number) => Buffer][] = [
  ['setData', (peer, version) => peer.setData('/a', version)],
  ['setACL', setAcl],
  ['delete', (peer, version) => peer.request(OpCode.delete, { path: '/a', version })],
];

for (const [name, ask] of ASKS) {
  for (const [version, answer] of [
    [0, 'BADVERSION'],
    [2, 'BADVERSION'],
    [-2, 'BADVERSION'],
    [1, 'ok'],
    [-1, 'ok'],
  ] as const) {
    test(`${name} of version ${version} while it is 1: ${answer}`, () => {
      const { world, peer } = makeWorld();
      peer.push(ask(peer, version));
      world.ackAll();
      assert.equal(peer.take(), [`${name} ${answer}`]);
    });
  }
}

test('a check of a version in a multi', () => {
  for (const [version, isRight] of [
    [0, false],
    [2, false],
    [1, true],
    [-1, true],
  ] as const) {
    const { world, peer } = makeWorld();
    const before = peer.bytes.length;
    peer.push(check(peer, version));
    world.ackAll();
    // A result of a check has a header only; an error has a code, too.
    const length = peer.bytes.length - before;
    assert.is(length, 4 + 16 + 9 + (isRight ? 0 : 4) + 9, `version ${version}`);
    if (!isRight) assert.is(multiError(peer), -103);
  }
});

test.run();
