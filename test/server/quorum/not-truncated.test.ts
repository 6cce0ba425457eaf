import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { setDataEntry } from '../../support/bytes/zk-files.js';
import { EnsembleWorld } from './worlds/ensemble-world.js';

test('a member that cannot truncate takes the whole tree of its leader, and serves', () => {
  const world = new EnsembleWorld(3);
  world.start();
  world.allServe();
  const client = world.client(3);
  client.push(client.create('/a'));
  world.crash(1);
  // Its only snapshot has a txn that no other member has.
  const { disk } = world.member(1);
  const { lastProcessedZxid } = world.member(3).peer.data.tree;
  for (const { entry } of disk.entries.splice(0)) disk.base.replay(entry);
  disk.base.replay(setDataEntry(lastProcessedZxid + 1n, '/', Buffer.from('lost')));
  world.start(1);
  world.until(() => world.isServing(1), 'server 1 serves');
  assert.match(world.member(1).notes.join('; '), /cannot truncate to zxid/);
  assert.not.equal(world.member(1).peer.data.tree.dataAt('/'), 'lost');
});

test.run();
