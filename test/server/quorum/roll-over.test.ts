import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Leader } from '../../../src/server/quorum/leading/leader.js';
import { Learner } from '../../../src/server/quorum/learning/learner.js';
import { EnsembleWorld } from './worlds/ensemble-world.js';

/**
 * The first counter that ends an epoch, before the last, so that txns in flight fit
 * (ZOOKEEPER-1277).
 */
const LAST_COUNTER = 0xfff0_0000n;

/** The private fields of a role that depend on the last zxid. */
interface Inside {
  readonly broadcast: {
    readonly outstanding: { lastProposed: bigint; lastCommitted: bigint };
    readonly primary: { readonly batch: { lastZxid: bigint }; lastAppended: bigint };
    durableZxid: bigint;
  };
  readonly history: { durableZxid: bigint; readonly pipeline: { batch: { lastZxid: bigint } } };
}

/** As after four billion txns of this epoch, on all members. */
function goOnFrom(world: EnsembleWorld, zxid: bigint): void {
  for (const { peer } of world.members.values()) {
    peer.data.tree.lastProcessedZxid = zxid;
    peer.server.state.zxidHigh = Number(zxid >> 32n);
    peer.server.state.zxidLow = Number(BigInt.asIntN(32, zxid));
    const { broadcast, history } = peer.role as unknown as Inside;
    if (peer.role instanceof Leader) {
      Object.assign(broadcast.outstanding, { lastProposed: zxid, lastCommitted: zxid });
      broadcast.primary.batch.lastZxid = zxid;
      broadcast.primary.lastAppended = zxid;
      broadcast.durableZxid = zxid;
    } else if (peer.role instanceof Learner) {
      history.pipeline.batch.lastZxid = zxid;
      history.durableZxid = zxid;
    }
  }
}

test('a new epoch begins when the zxids of one are used up, and no txn is lost', () => {
  const world = new EnsembleWorld(3);
  world.start();
  world.allServe();
  const client = world.client(3);
  client.push(client.create('/first'));
  assert.equal(client.take(), ['connected', 'create ok']);
  goOnFrom(world, (1n << 32n) + LAST_COUNTER - 2n);
  client.push(client.create('/last-but-one'));
  assert.equal(client.take(), ['create ok']);
  assert.is(world.member(3).peer.currentEpoch, 1);
  client.push(client.create('/last'));
  const isNew = () => [1, 2, 3].every((sid) => world.member(sid).peer.currentEpoch === 2);
  world.until(isNew, 'a new epoch');
  world.allServe();
  const { notes } = world.member(3);
  assert.ok(notes.some((note) => note.includes('all zxids of this epoch are used')));
  const later = world.client(1);
  later.push(later.create('/next'));
  assert.equal(later.take(), ['connected', 'create ok']);
  for (const { peer } of world.members.values()) {
    for (const path of ['/first', '/last-but-one', '/last', '/next']) {
      assert.ok(peer.data.tree.get(path), `${path} on ${peer.sid}`);
    }
    // The session, then the znode.
    assert.is(peer.data.tree.lastProcessedZxid, (2n << 32n) + 2n);
  }
});

test.run();
