/** A crash at every single call on a file, and what the next start makes of it. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { adoptRestored, stageRestored } from '../../../src/server/node/restored-data.js';
import { Database } from '../../../src/server/persistence/replay.js';
import { contentOf } from '../../../src/server/persistence/snapshot-source.js';
import {
  CrashingRunner,
  checkPromised,
  emptyPlatter,
  nothingPromised,
  type Promised,
  recoverAll,
  StorageWorld,
} from '../../support/crash-world.js';
import type { Platter } from '../../support/platter.js';
import { AT_ONCE, PlatterFiles } from '../../support/platter-files.js';
import { Random } from '../../support/random.js';
import { setDataEntry } from '../../support/zk-files.js';

const SEEDS = 3;
const MAX_CALLS = 2000;

interface Base {
  readonly platter: Platter;
  readonly promised: Promised;
}

interface Scenario {
  readonly name: string;
  /** What was done before, without a crash. */
  readonly prepare?: (world: StorageWorld) => Promise<void>;
  readonly run: (world: StorageWorld) => Promise<void>;
}

async function appendUpTo(world: StorageWorld, from: bigint, to: bigint): Promise<void> {
  for (let zxid = from; zxid <= to; zxid++) await world.append(zxid, 300);
}

const SCENARIOS: readonly Scenario[] = [
  { name: 'the first start in an empty folder', run: (world) => world.append(1n) },
  {
    name: 'appends of every size, alone and in one write',
    run: async (world) => {
      await world.append(1n);
      await Promise.all([world.append(2n, 700), world.append(3n, 40), world.append(4n, 3000)]);
      await world.append(5n, 1);
    },
  },
  {
    name: 'a roll',
    prepare: (world) => appendUpTo(world, 1n, 3n),
    run: async (world) => {
      world.log.roll();
      await appendUpTo(world, 4n, 6n);
    },
  },
  {
    name: 'snapshots, with appends beside them',
    prepare: (world) => appendUpTo(world, 1n, 3n),
    run: async (world) => {
      const done = world.snapshot();
      await appendUpTo(world, 4n, 6n);
      await done;
      await world.append(7n);
    },
  },
  {
    name: 'a purge beside a snapshot',
    prepare: async (world) => {
      for (const zxid of [1n, 3n, 5n]) {
        await appendUpTo(world, zxid, zxid + 1n);
        await world.snapshot();
      }
    },
    run: async (world) => {
      await world.append(7n);
      let isWritten = false;
      const done = world.snapshot().then(() => {
        isWritten = true;
      });
      // One begins in each turn, so that one of them meets a name that is not durable yet.
      const purges: Promise<unknown>[] = [];
      while (!isWritten && purges.length < 500) {
        purges.push(world.dir.purge(1).catch(() => undefined));
        await null;
      }
      await Promise.all(purges);
      await done;
      await world.dir.purge(1);
      await world.append(8n);
    },
  },
  {
    name: 'epochs',
    prepare: async (world) => {
      await world.append(1n);
      await world.writeEpoch('acceptedEpoch', 3);
    },
    run: async (world) => {
      await world.writeEpoch('acceptedEpoch', 4);
      await world.writeEpoch('currentEpoch', 4);
      await world.writeEpoch('acceptedEpoch', 10);
      await world.append(2n);
    },
  },
  {
    name: 'a truncation over several logs and snapshots',
    prepare: async (world) => {
      for (const zxid of [1n, 4n, 7n, 10n]) {
        await appendUpTo(world, zxid, zxid + 2n);
        await world.snapshot();
      }
    },
    run: (world) => world.truncate(5n),
  },
  {
    name: 'appends after a truncation',
    prepare: (world) => appendUpTo(world, 1n, 9n),
    run: async (world) => {
      await world.truncate(5n);
      await world.append(6n, 5);
    },
  },
];

async function runOnce(base: Base, scenario: Scenario, crashAt: number, random: Random) {
  const platter = base.platter.clone();
  const promised = { ...base.promised };
  const runner = new CrashingRunner(crashAt, random);
  const work = async (): Promise<void> => {
    const world = await StorageWorld.start(new PlatterFiles(platter, runner), promised);
    await scenario.run(world);
    assert.equal(world.fatal, []);
  };
  await Promise.race([work(), runner.crashed]);
  runner.isOver = true;
  return { platter, promised, calls: runner.calls };
}

/** Killed, or without power; and again while the next start reads. */
async function checkAfterCrash(platter: Platter, promised: Promised, random: Random) {
  if (random.oneIn(2)) platter.losePower(random);
  if (random.oneIn(2)) {
    const runner = new CrashingRunner(1 + random.below(40), random);
    const start = recoverAll(new PlatterFiles(platter, runner));
    await Promise.race([start, runner.crashed]);
    runner.isOver = true;
    if (random.oneIn(2)) platter.losePower(random);
  }
  // What a start has found it may tell others: from then on it is promised.
  const least = await checkPromised(platter, promised);
  platter.losePower(random);
  await checkPromised(platter, { ...promised, least });
}

for (const scenario of SCENARIOS) {
  test(`a crash at any call loses no promise: ${scenario.name}`, async () => {
    const base = { platter: emptyPlatter(), promised: nothingPromised() };
    if (scenario.prepare !== undefined) {
      const fs = new PlatterFiles(base.platter, AT_ONCE);
      const world = await StorageWorld.start(fs, base.promised);
      await scenario.prepare(world);
      await world.disk.close();
    }
    const whole = await runOnce(base, scenario, MAX_CALLS, new Random(0));
    assert.ok(whole.calls > 10 && whole.calls < MAX_CALLS, `${whole.calls} calls`);
    for (let crashAt = 1; crashAt <= whole.calls; crashAt++) {
      for (let seed = 0; seed < SEEDS; seed++) {
        const random = new Random(crashAt * 1000 + seed);
        const { platter, promised } = await runOnce(base, scenario, crashAt, random);
        await checkAfterCrash(platter, promised, random).catch((error: Error) => {
          throw new Error(`a crash at call ${crashAt}, seed ${seed}: ${error.message}`);
        });
      }
    }
  });
}

test('a crash at any call of a restore leaves the old tree or the new one', async () => {
  const base = { platter: emptyPlatter(), promised: nothingPromised() };
  const world = await StorageWorld.start(new PlatterFiles(base.platter, AT_ONCE), base.promised);
  await appendUpTo(world, 1n, 3n);
  await world.snapshot();
  await appendUpTo(world, 4n, 6n);
  await world.disk.close();
  const restored = new Database({});
  restored.finishSnapshot(1n);
  restored.replay(setDataEntry(2n, '/', Buffer.from('restored')));
  let isAdopted = false;
  const restore = async (platter: Platter, runner: CrashingRunner): Promise<void> => {
    isAdopted = false;
    const { dir } = await recoverAll(new PlatterFiles(platter, runner));
    await adoptRestored(dir, await stageRestored(dir, contentOf(restored)));
    isAdopted = true;
  };
  const all = new CrashingRunner(MAX_CALLS, new Random(0));
  await restore(base.platter.clone(), all);
  for (let crashAt = 1; crashAt <= all.calls + 1; crashAt++) {
    for (let seed = 0; seed < SEEDS; seed++) {
      const random = new Random(crashAt * 1000 + seed);
      const platter = base.platter.clone();
      const runner = new CrashingRunner(crashAt, random);
      await Promise.race([restore(platter, runner), runner.crashed]);
      if (random.oneIn(2)) platter.losePower(random);
      const { database } = await recoverAll(new PlatterFiles(platter, AT_ONCE));
      const { lastProcessedZxid: last, root } = database.tree;
      const isNew = last === 2n && root.data === 'restored';
      const isOld = last === 6n && `${root.data}`.startsWith('6 ');
      const where = `a crash at call ${crashAt}, seed ${seed}: ${last} ${root.data}`;
      assert.ok(isNew || (isOld && !isAdopted), where);
    }
  }
});

test.run();
