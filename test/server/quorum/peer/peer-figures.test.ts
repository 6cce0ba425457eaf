/** Small parts of a member: its times, its deadline, its digests, and what it counts. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { initialSessionId } from '../../../../src/protocol/session-id.js';
import type { Metrics } from '../../../../src/server/metrics/metrics.js';
import { ProposalTimes } from '../../../../src/server/quorum/leading/broadcast.js';
import { QuorumDeadline } from '../../../../src/server/quorum/leading/leader.js';
import {
  Resumption,
  Resumptions,
} from '../../../../src/server/quorum/learning/learner-pipeline.js';
import { SessionIds } from '../../../../src/server/session/session-ids.js';
import { SessionTracker } from '../../../../src/server/session/session-tracker.js';
import { CommitMetrics } from '../../../../src/server/state/commit-metrics.js';
import { DataTree } from '../../../../src/server/tree/data-tree.js';

/** Records the calls instead of counting. */
function recorder() {
  const calls: string[] = [];
  const into = (name: string) => ({ record: (value: number) => calls.push(`${name} ${value}`) });
  const metrics = {
    ackCreationLatency: into('ack'),
    quorumAckLatency: into('quorum'),
    recordAck: (sid: number, ms: number) => calls.push(`ack of ${sid} ${ms}`),
    count: (name: string, by: number) => calls.push(`${name} +${by}`),
    record: (name: string, value: number) => calls.push(`${name} ${value}`),
  };
  const take = () => calls.splice(0);
  return { metrics: metrics as unknown as Metrics, take };
}

test('each proposal is timed up to its disk and its quorum, in order', () => {
  const { metrics, take } = recorder();
  const times = new ProposalTimes(metrics);
  times.proposed(1n, 1000);
  times.proposed(2n, 1010);
  times.proposed(3n, 1020);
  times.durable(2, 1030);
  assert.equal(take(), ['ack 30', 'ack 20']);
  times.committed(1040);
  times.committed(1005);
  assert.equal(take(), ['quorum 40', 'quorum 0'], 'a clock that went back');
  times.durable(1, 1000);
  assert.equal(take(), ['ack 0']);
  assert.throws(() => times.durable(1, 1000), /stored more than proposed/);
  times.committed(1050);
  times.committed(1050);
  assert.equal(take(), ['quorum 30']);
});

test('one ack of a learner in a thousand is timed', () => {
  const { metrics, take } = recorder();
  const times = new ProposalTimes(metrics);
  times.acked(2, -1n, 10);
  take();
  const zxid = 0x5_0000_0000n + 2000n;
  times.proposed(zxid, 100);
  times.proposed(zxid + 1n, 150);
  times.acked(2, zxid - 1n, 200);
  times.acked(2, zxid + 1n, 200);
  assert.equal(take(), []);
  times.acked(2, zxid, 200);
  times.acked(3, zxid, 90);
  assert.equal(take(), ['ack of 2 100', 'ack of 3 0']);
  times.proposed(zxid + 1000n, 300);
  times.acked(2, zxid, 400);
  times.acked(2, zxid + 1000n, 400);
  assert.equal(take(), ['ack of 2 100']);
});

test('commits are counted once per batch', () => {
  const { metrics, take } = recorder();
  const commits = new CommitMetrics(metrics);
  commits.end(7, 8);
  assert.equal(take(), []);
  commits.add();
  commits.add();
  commits.end(7, 8);
  assert.equal(take(), [
    'request_commit_queued +2',
    'commit_commit_proc_req_queued 2',
    'write_commit_proc_issued 2',
    'write_commit_proc_req_queued 7',
    'prep_processor_queue_size 8',
  ]);
  commits.end(7, 8);
  assert.equal(take(), []);
});

function deadlineAt(nowMs: number) {
  const peer = {
    nowMs,
    limits: { initLimit: 5, tickTimeMs: 100 },
    membership: { isQuorum: (sids: Set<number>) => sids.size > 1 },
  };
  const learners = { followers: () => new Set([1]), onTheWay: () => new Set([1, 2]) };
  return { peer, deadline: new QuorumDeadline(peer as never, learners as never) };
}

test('a leader waits for initLimit, and again after a restart', () => {
  const { peer, deadline } = deadlineAt(1000);
  assert.equal([deadline.waitedMs, deadline.isOver, deadline.nextWakeMs], [0, false, 1500]);
  peer.nowMs = 1499;
  assert.equal([deadline.waitedMs, deadline.isOver, deadline.nextWakeMs], [499, false, 1500]);
  peer.nowMs = 1500;
  const forever = Number.POSITIVE_INFINITY;
  assert.equal([deadline.waitedMs, deadline.isOver, deadline.nextWakeMs], [500, true, forever]);
  deadline.restart();
  assert.equal([deadline.waitedMs, deadline.isOver, deadline.nextWakeMs], [0, false, 2000]);
  deadline.restart(true);
  assert.equal([deadline.waitedMs, deadline.isOver], [500, true]);
  assert.equal([deadline.hasQuorum, deadline.isQuorumComing], [false, true]);
});

test('clients that resume one session are answered in the order in which they asked', () => {
  const answered: Resumption[] = [];
  const resumptions = new Resumptions();
  const [a, b, c] = [7n, 7n, 8n].map((sessionId) => {
    const answer = (one: Resumption) => answered.push(one);
    return new Resumption({} as never, sessionId, 1000, answer);
  }) as [Resumption, Resumption, Resumption];
  for (const one of [a, b, c]) resumptions.add(one);
  assert.is(resumptions.take(9n), undefined);
  assert.equal([resumptions.take(7n) === a, resumptions.take(7n) === b], [true, true]);
  assert.is(resumptions.take(7n), undefined);
  resumptions.add(a);
  assert.is(resumptions.take(7n), a);
  assert.is(resumptions.take(8n), c);
  c.synced();
  assert.equal([answered.length, answered[0] === c, c.isValid], [1, true, false]);
});

test('a digest in 128 txns is kept, and the last 1024 of these', () => {
  const tree = new DataTree();
  const first = 0x3_0000_0000n;
  for (let zxid = first; zxid < first + 128n * 1025n; zxid++) {
    tree.digest.value = zxid * 3n;
    tree.noteDigest(zxid);
    if (zxid === first + 128n * 1024n - 1n) assert.is(tree.digests[0]?.zxid, first);
  }
  assert.is(tree.digests.length, 1024);
  assert.equal(tree.digests[0], { zxid: first + 128n, digest: (first + 128n) * 3n });
  assert.is(tree.digests.at(-1)?.zxid, first + 128n * 1024n);
});

test('session ids count up from the time of the first one, and skip those in use', () => {
  const sessions = new SessionTracker(1000, 0);
  const ids = new SessionIds(3);
  const start = initialSessionId(3, 5000);
  assert.is(ids.next(sessions, 5000), start + 1n);
  assert.is(ids.next(sessions, 99_000), start + 2n);
  sessions.add(start + 3n, 1000, 0);
  sessions.addLocal(start + 4n, 1000, 0);
  assert.is(ids.next(sessions, 5000), start + 5n);
});

test.run();
