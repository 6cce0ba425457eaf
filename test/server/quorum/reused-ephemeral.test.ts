import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../../src/protocol/op-code.js';
import { EnsembleWorld } from './worlds/ensemble-world.js';

/** Completes the disk work of the members one after the other. */
function writeOne(world: EnsembleWorld): void {
  for (const { disk } of world.members.values()) disk.work.shift()?.();
  world.settle();
}

for (const sid of [1, 3]) {
  test(`members agree after a session of member ${sid} reused the name of an ephemeral and closed`, () => {
    const world = new EnsembleWorld(3);
    world.start();
    world.allServe();
    const client = world.client(sid);
    const before = world.member(sid).peer.data.tree.nodeCount;
    for (const member of world.members.values()) member.isDiskHeld = true;
    client.push(client.create('/e', 1));
    client.push(client.request(OpCode.delete, { path: '/e', version: -1 }));
    client.push(client.create('/e', 1));
    writeOne(world);
    writeOne(world);
    client.push(client.request(OpCode.closeSession));
    for (const member of world.members.values()) member.isDiskHeld = false;
    world.settle();
    const next = world.client(2);
    next.push(next.create('/after'));
    for (const { peer } of world.members.values()) {
      assert.is(peer.view.metrics.counters.digest_mismatches_count ?? 0, 0, `${peer.sid}`);
      assert.is(peer.data.tree.nodeCount, before + 1);
    }
    world.crash(1);
    world.start(1);
    world.allServe();
  });
}

test.run();
