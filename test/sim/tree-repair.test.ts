import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ServerNode } from './nodes/server-node.js';
import { Simulation } from './simulation.js';

/** Sometimes spoils the digest of each follower, and restores that of a leader. */
function spoiler() {
  const nodes = new Set<ServerNode>();
  const spoiltAt = new Map<ServerNode, bigint>();
  const turns = new Map<ServerNode, number>();
  const plant = {
    spoilt: 0,
    repairs: () =>
      [...nodes].flatMap(({ notes }) => notes).filter((note) => /whole tree instead/.test(note))
        .length,
    /** Whether a digest is wrong, and no txn came that could show it. */
    isUnseen: () =>
      [...spoiltAt].some(
        ([{ peer }, zxid]) => peer?.isSpoilt === true && peer.data.tree.lastProcessedZxid === zxid,
      ),
    onTurn(node: ServerNode): void {
      const { peer } = node;
      if (peer === null) return;
      nodes.add(node);
      const { tree } = peer.data;
      const isFollowing = peer.role?.kind === 'following';
      if (peer.isSpoilt && !isFollowing && peer.role !== null) {
        tree.digest.value -= 1n;
        peer.isSpoilt = false;
      }
      const turn = (turns.get(node) ?? 0) + 1;
      turns.set(node, turn);
      // Late enough for data, and early enough for a txn that shows it.
      const isDue =
        turn > 400 && turn < 700 && !peer.wasSpoilt && isFollowing && peer.isEstablished;
      if (!isDue || tree.isFuzzy) return;
      tree.digest.value += 1n;
      peer.isSpoilt = true;
      peer.wasSpoilt = true;
      spoiltAt.set(node, tree.lastProcessedZxid);
      plant.spoilt++;
    },
  };
  return plant;
}

test('followers with wrong digests take the whole tree, and all trees are equal at the end', async () => {
  let [repairs, spoilt, judged] = [0, 0, 0];
  for (let seed = 1; judged < 6; seed++) {
    const plant = spoiler();
    const servers = seed % 2 === 0 ? 3 : 5;
    const { violation } = await new Simulation({ seed, servers, steps: 8000, plant }).run();
    if (plant.isUnseen()) continue;
    judged++;
    assert.is(violation ?? null, null, `seed ${seed}`);
    repairs += plant.repairs();
    spoilt += plant.spoilt;
  }
  assert.ok(spoilt >= 6, `${spoilt} were spoilt`);
  assert.ok(repairs > 0, `${repairs} of ${spoilt} were repaired`);
});

test('an unexpected mismatch is found', async () => {
  for (let seed = 1; seed <= 5; seed++) {
    const plant = spoiler();
    const onTurn = (node: ServerNode): void => {
      plant.onTurn(node);
      if (node.peer?.isSpoilt === true) node.peer.wasSpoilt = false;
    };
    const { violation } = await new Simulation({
      seed,
      servers: 3,
      steps: 8000,
      plant: { onTurn },
    }).run();
    if (/digests that differ from its leader's/.test(violation ?? '')) return;
  }
  assert.unreachable('it was not found');
});

test.run();
