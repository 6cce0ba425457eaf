/**
 * After SNAP come only sessions, ACLs, and znodes. Apache's leader sends no digest
 * (ZKDatabase.serializeSnapshot), so a learner computes its own. Only files have further parts
 * after the znodes.
 */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeSnapshot, writeSnapshotStream } from '../../../../src/files/snapshot.js';
import { bodySourceOf, sourceOf } from '../../../../src/server/persistence/snapshot-source.js';
import { SnapshotReceiver } from '../../../../src/server/quorum/learning/learner.js';
import { TreeWorld } from '../../tree/tree-world.js';

const SIGNATURE = 'BenWasHere';
const NEXT_PACKET = Buffer.from('the next packet');
const MAX_LENGTH = 1 << 20;

function contentOfWorld() {
  const world = new TreeWorld();
  for (const path of ['/a', '/a/b', '/c']) world.create(path, { data: path });
  world.create('/a/own', { isEphemeral: true });
  const { tree } = world;
  return { tree, sessions: [{ id: 0x5n, timeoutMs: 4000 }], zxid: tree.lastProcessedZxid };
}

test("a learner computes the digest of the leader's tree from a snapshot without one", () => {
  const content = contentOfWorld();
  const { tree, zxid } = content;
  const bytes = Buffer.concat([
    ...writeSnapshotStream(bodySourceOf(content), SIGNATURE),
    NEXT_PACKET,
  ]);
  for (const size of [1, 7, bytes.length]) {
    const receiver = new SnapshotReceiver(zxid, tree, MAX_LENGTH);
    let data = null;
    for (let at = 0; at < bytes.length; at += size) {
      receiver.push(bytes.subarray(at, at + size));
      data ??= receiver.receive();
    }
    assert.is(data?.tree.digest.value, tree.digest.value, `in pieces of ${size}`);
    assert.equal(data?.sessions, content.sessions);
    assert.is(receiver.rest().toString(), NEXT_PACKET.toString());
  }
});

test('a stream with the digest of a file is refused, not misread', () => {
  const content = contentOfWorld();
  const file = Buffer.concat([...writeSnapshot(sourceOf(content, true))]);
  const receiver = new SnapshotReceiver(content.zxid, content.tree, MAX_LENGTH);
  // Without the header. The seals, the digest, and the last zxid are still there.
  receiver.push(file.subarray(16));
  assert.throws(() => receiver.receive(), /BenWasHere|length/);
});

test.run();
