import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ByteRange } from '../../../../src/jute/byte-range.js';
import { OutstandingProposals } from '../../../../src/server/quorum/leading/broadcast.js';
import type { QuorumConfig } from '../../../../src/server/quorum/membership/quorum-config.js';
import { parse } from '../../../sim/shape.js';

function voters(...sids: number[]): QuorumConfig {
  return parse(`${sids.map((sid) => `server.${sid}=h${sid}:2888:3888`).join('\n')}\nversion=0`);
}

/** The last zxid that each server acked, by its place from 1 on. */
function acksOf(...zxids: number[]) {
  return zxids.map((zxid, at) => ({ sid: at + 1, zxid: BigInt(zxid) }));
}

/** Proposals from 1 on. One with a configuration is a reconfig. */
function propose(...configs: (QuorumConfig | null)[]): OutstandingProposals {
  const outstanding = new OutstandingProposals();
  configs.forEach((config, at) => {
    outstanding.push({ zxid: BigInt(at + 1), entry: new ByteRange(Buffer.alloc(1)), config });
  });
  return outstanding;
}

const THREE = voters(1, 2, 3);

test('the last zxid that a quorum has may be committed', () => {
  const outstanding = propose(null, null, null, null);
  assert.is(outstanding.length, 4);
  for (const [acks, expected] of [
    [[4, 0, 0], 0n],
    [[4, 1, 0], 1n],
    [[4, 0, 1], 1n],
    [[2, 4, 3], 3n],
    [[1, 3, 2, 4], 2n],
    [[3, 3, 0], 3n],
    [[4, 4, 4], 4n],
  ] as const) {
    assert.is(outstanding.committable(THREE, acksOf(...acks)), expected, acks.join());
  }
});

test('nothing beyond the last proposal may be committed, nor anything twice', () => {
  const outstanding = propose(null, null);
  assert.is(outstanding.committable(THREE, acksOf(9, 9, 9)), 2n);
  assert.is(outstanding.shift(1n).zxid, 1n);
  assert.is(outstanding.lastCommitted, 1n);
  assert.is(outstanding.committable(THREE, acksOf(1, 1, 1)), 1n);
  assert.is(outstanding.committable(THREE, acksOf(0, 0, 0)), 1n);
  assert.throws(() => outstanding.shift(3n), /committed out of order/);
});

test('before the first proposal, nothing may be committed', () => {
  assert.is(new OutstandingProposals().committable(THREE, acksOf(1, 1, 1)), 0n);
});

test('an excused voter need not ack', () => {
  const outstanding = propose(null);
  assert.is(outstanding.committable(voters(1, 2), acksOf(1, 0)), 0n);
  assert.is(
    outstanding.committable(voters(1, 2), acksOf(1, 0), (sid) => sid === 2),
    1n,
  );
});

test('a reconfig needs a quorum of both configurations, and is committed alone', () => {
  const next = voters(3, 4, 5);
  const outstanding = propose(null, next, null, voters(5), null);
  for (const [acks, expected] of [
    [[1, 1, 0, 5, 5], 1n],
    [[5, 5, 0, 5, 5], 2n],
    [[5, 5, 5, 0, 0], 1n],
    [[2, 2, 0, 2, 2], 2n],
    [[2, 2, 0, 2, 1], 1n],
    [[0, 0, 5, 5, 5], 0n],
    [[9, 9, 9, 9, 9], 2n],
  ] as const) {
    assert.is(outstanding.committable(THREE, acksOf(...acks)), expected, acks.join());
  }
});

test('a reconfig that is the only proposal needs both quorums, too', () => {
  const outstanding = propose(voters(3, 4, 5));
  assert.is(outstanding.committable(THREE, acksOf(1, 1, 0, 0, 0)), 0n);
  assert.is(outstanding.committable(THREE, acksOf(1, 1, 0, 1, 1)), 1n);
});

test('after its commit, a reconfig holds back nothing', () => {
  const outstanding = propose(null, voters(3, 4, 5), null, null);
  outstanding.shift(1n);
  assert.is(outstanding.committable(THREE, acksOf(4, 4, 4, 4, 4)), 2n);
  outstanding.shift(2n);
  assert.is(outstanding.committable(voters(3, 4, 5), acksOf(0, 0, 4, 3, 0)), 3n);
  assert.is(outstanding.length, 2);
});

test.run();
