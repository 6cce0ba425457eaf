import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type FoundFile,
  logsAfter,
  logsAmong,
  planPurge,
  snapshotsAmong,
} from '../../src/files/recovery.js';

function files(...names: string[]): FoundFile[] {
  return names.map((name) => ({ name, size: 100 }));
}

function oldestKept(snapshots: readonly FoundFile[], retain: number) {
  const kept = snapshotsAmong(snapshots)[retain - 1];
  assert.ok(kept !== undefined);
  return kept;
}

test('the newest snapshots stay, and the logs that the oldest of them needs', () => {
  const snapshots = files('snapshot.0', 'snapshot.10', 'snapshot.20', 'snapshot.30', 'snapshot.40');
  const logs = files('log.1', 'log.11', 'log.1f', 'log.21', 'log.31', 'log.41');
  assert.equal(planPurge(snapshots, logs, oldestKept(snapshots, 3)), {
    snapshots: ['snapshot.10', 'snapshot.0'],
    // log.1f may hold 0x21 only if no log.21 were there; it is, so nothing needs it.
    logs: ['log.1', 'log.11', 'log.1f'],
  });
});

test('the log that contains the oldest kept snapshot stays', () => {
  const snapshots = files('snapshot.5', 'snapshot.15', 'snapshot.25', 'snapshot.35');
  const kept = oldestKept(snapshots, 3);
  // snapshot.15 is followed by 0x16, which log.16 holds.
  const plan = planPurge(snapshots, files('log.1', 'log.6', 'log.16', 'log.26'), kept);
  assert.equal(plan, { snapshots: ['snapshot.5'], logs: ['log.1', 'log.6'] });
  const early = planPurge(snapshots, files('log.1', 'log.6', 'log.20'), kept);
  assert.equal(early, { snapshots: ['snapshot.5'], logs: ['log.1'] });
});

test('nothing is deleted if all snapshots are kept', () => {
  const logs = files('log.1', 'log.6', 'log.16');
  for (const names of [['snapshot.0', 'snapshot.5', 'snapshot.15'], ['snapshot.0']]) {
    const snapshots = files(...names);
    const plan = planPurge(snapshots, logs, oldestKept(snapshots, names.length));
    assert.equal(plan, { snapshots: [], logs: [] });
  }
});

test('files other than snapshots and logs are not touched', () => {
  const names = ['currentEpoch', 'snapshot.zz', 'snapshot.40.tmp', 'log', 'note.txt'];
  const snapshots = files('snapshot.1', 'snapshot.2.gz', 'snapshot.3', 'snapshot.4', ...names);
  const plan = planPurge(snapshots, files('log.1', ...names), oldestKept(snapshots, 3));
  assert.equal(plan, { snapshots: ['snapshot.1'], logs: [] });
});

/** A small linear congruential generator, so that a failure names its seed. */
function below(seed: { value: number }, limit: number): number {
  seed.value = (Math.imul(seed.value, 1103515245) + 12345) >>> 0;
  return (seed.value >>> 8) % limit;
}

test('a purge never deletes a file that a kept snapshot needs', () => {
  for (let run = 0; run < 500; run++) {
    const seed = { value: run };
    const zxids = (count: number) => Array.from({ length: count }, () => 1 + below(seed, 200));
    const snapshots = files(...new Set(zxids(8).map((zxid) => `snapshot.${zxid.toString(16)}`)));
    const logs = files(...new Set(zxids(8).map((zxid) => `log.${zxid.toString(16)}`)));
    const retain = Math.min(3 + below(seed, 3), snapshots.length);
    const plan = planPurge(snapshots, logs, oldestKept(snapshots, retain));
    const kept = snapshotsAmong(snapshots).filter(({ name }) => !plan.snapshots.includes(name));
    assert.is(kept.length, retain, `seed ${run}`);
    for (const { zxid } of kept) {
      for (const { name } of logsAfter(logsAmong(logs), zxid)) {
        assert.not.ok(plan.logs.includes(name), `seed ${run}: ${name} after ${zxid}`);
      }
    }
  }
});

test('a purge leaves a learner the snapshots that show a hole between two epochs', () => {
  const snapshots = files('snapshot.400000002', 'snapshot.600000008', 'snapshot.800000001');
  const logs = files('log.400000001', 'log.800000001');
  const plan = planPurge(snapshots, logs, oldestKept(snapshots, 1), 0x400000002n);
  assert.equal(plan, { snapshots: [], logs: [] });
});

test.run();
