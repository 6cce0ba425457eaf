import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../../src/protocol/op-code.js';
import { OPEN_ACL_UNSAFE, Perms } from '../../../src/protocol/perms.js';
import type { Peer } from '../server-peer.js';
import { ServerWorld } from '../server-world.js';

const ALL = 31;

function aclOf(perms: number) {
  return [{ perms, id: { scheme: 'world', id: 'anyone' } }];
}

const remove = (path: string) => (peer: Peer) => peer.request(OpCode.delete, { path, version: -1 });

/** [what, its request, the permissions on /p of which one is enough] */
const REQUESTS: readonly (readonly [string, (peer: Peer) => Buffer, number])[] = [
  ['create', (peer) => peer.create('/p/new'), Perms.CREATE],
  ['delete', remove('/p/child'), Perms.DELETE],
  ['setData', (peer) => peer.setData('/p'), Perms.WRITE],
  [
    'setACL',
    (peer) => peer.request(OpCode.setACL, { path: '/p', acl: OPEN_ACL_UNSAFE, version: -1 }),
    Perms.ADMIN,
  ],
  ['getACL', (peer) => peer.request(OpCode.getACL, { path: '/p' }), Perms.READ | Perms.ADMIN],
  ['getData', (peer) => peer.getData('/p'), Perms.READ],
  [
    'getChildren',
    (peer) => peer.request(OpCode.getChildren, { path: '/p', watch: false }),
    Perms.READ,
  ],
];

for (const [what, request, enough] of REQUESTS) {
  test(`${what} needs its permission, and no other one`, () => {
    for (let perms = 0; perms <= ALL; perms++) {
      const world = new ServerWorld();
      const peer = world.client();
      for (const path of ['/p', '/p/child']) peer.push(peer.create(path));
      peer.push(peer.request(OpCode.setACL, { path: '/p', acl: aclOf(perms), version: -1 }));
      world.ackAll();
      assert.equal(peer.take(), ['create ok', 'create ok', 'setACL ok']);
      peer.push(request(peer));
      world.ackAll();
      const answer = (perms & enough) === 0 ? 'NOAUTH' : 'ok';
      assert.equal(peer.take(), [`${what} ${answer}`], `permissions ${perms}`);
    }
  });
}

test.run();
