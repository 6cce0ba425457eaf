import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { slotOf } from '../../../src/server/tree/slots.js';
import type { Znode } from '../../../src/server/tree/znode.js';
import { ServerWorld } from '../server-world.js';
import { tablesOf } from './tables-of.js';
import { TreeWorld } from './tree-world.js';

function makeWorld(znodes: number, data = 'x') {
  const world = new TreeWorld();
  for (let i = 0; i < znodes; i++) world.create(`/n${i}`, { data });
  const node = world.tree.get('/n0') as Znode;
  return { world, tree: world.tree, node, audit: world.tree.audit(1000) };
}

test('a tree in order passes, also while it changes', () => {
  const { world, audit } = makeWorld(5000);
  for (let ms = 0; ms < 20_000; ms += 500) {
    audit.poll(ms);
    world.create(`/later${ms}`, { data: 'y', isEphemeral: ms % 1000 === 0 });
  }
});

test('data that changed without a txn is found', () => {
  const { tree, node, audit } = makeWorld(1);
  tablesOf(tree).content.setData(slotOf(node), 'y');
  assert.throws(() => audit.poll(0), /^\/n0: CRC-32 of its data: \d+ \(expected \d+\)$/);
});

test('a Stat that changed without a txn is found, in a big tree after a while', () => {
  const { tree, node, audit } = makeWorld(3000);
  tree.statOf(tree.get('/n2999') as Znode).setAversion(7);
  audit.poll(0);
  audit.poll(999);
  assert.throws(
    () => audit.poll(2000) ?? audit.poll(3000) ?? audit.poll(4000),
    /^\/n2999: digest: \d+ \(expected/,
  );
  assert.ok(node);
});

test('a slice counts the bytes of the paths', () => {
  const world = new TreeWorld();
  for (let i = 0; i < 8; i++) world.create(`/${'n'.repeat(100_000)}${i}`);
  const last = world.tree.get(`/${'n'.repeat(100_000)}7`) as Znode;
  world.tree.statOf(last).setAversion(7);
  const audit = world.tree.audit(1000);
  audit.poll(0);
  assert.throws(() => audit.poll(1000) ?? audit.poll(2000), /^\/n+7: digest: \d+ \(expected/);
});

test('a digest that is not the sum of the znodes is found', () => {
  const { tree, audit } = makeWorld(3);
  tree.digest.add(1);
  assert.throws(() => audit.poll(0), /^tree digest: 0x\w+ \(expected 0x\w+, the sum/);
});

test('a Stat without a znode is found', () => {
  const { tree, audit } = makeWorld(3);
  tablesOf(tree).stats.allocateNew(1n, 1n, 0n);
  assert.throws(() => audit.poll(0), /^Stat table: 8 Stats \(expected one for each of 7 znodes\)$/);
});

test('a server looks at its tree as time passes', () => {
  const world = new ServerWorld();
  const client = world.client();
  client.push(client.create('/a'));
  world.ackAll();
  world.clock(2000);
  const { tree } = world.server.state;
  tree.statOf(tree.get('/a') as Znode).setAversion(7);
  assert.throws(() => world.clock(2000), /^\/a: digest/);
});

test('an ack of a txn that was never appended ends the server', () => {
  const world = new ServerWorld();
  world.client();
  assert.throws(
    () => world.server.step({ kind: 'ack', zxid: 2n }),
    /^disk: stored a txn that was never appended: 0x2 and 0x1$/,
  );
});

test.run();
