/** Crashes at every single call on a file, and checks the next start. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { LogFile } from '../../../../src/server/node/storage/log-disk.js';
import { adoptRestored, stageRestored } from '../../../../src/server/node/storage/restored-data.js';
import { Database } from '../../../../src/server/persistence/replay.js';
import { contentOf } from '../../../../src/server/persistence/snapshot-source.js';
import {
  CrashingRunner,
  checkPromised,
  DATA_DIR,
  emptyPlatter,
  LOG_DIR,
  nothingPromised,
  type Promised,
  recoverAll,
  StorageWorld,
} from '../../../support/bytes/crash-world.js';
import { Inode, type Platter } from '../../../support/bytes/platter.js';
import { AT_ONCE, type Call, PlatterFiles } from '../../../support/bytes/platter-files.js';
import { buildRecord, setDataEntry } from '../../../support/bytes/zk-files.js';
import { Random } from '../../../support/random.js';

const SEEDS = 3;
/** A restore is short, and a power loss during it has many outcomes. */
const RESTORE_SEEDS = 12;
const MAX_CALLS = 2000;
const LOG_OPTIONS = { preAllocSize: 1024, isSynced: true };

interface Base {
  readonly platter: Platter;
  readonly promised: Promised;
}

interface Scenario {
  readonly name: string;
  /** Work before the crash. */
  readonly prepare?: (world: StorageWorld) => Promise<void>;
  readonly run: (world: StorageWorld) => Promise<void>;
  /** Between the work before and a start; no server runs. */
  readonly damage?: (platter: Platter) => void;
  /** Calls that others overtake. */
  readonly isSlow?: (call: Call) => boolean;
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
      // One of them meets a name that is not durable yet.
      while (!isWritten) await world.dir.purge(1).catch(() => undefined);
      await done;
      await world.dir.purge(1);
      await world.append(8n);
    },
    isSlow: ({ kind }) => kind === 'sync-folder',
  },
  ...[3n, 5n].map((torn) => ({
    name: `purges while snapshots from ${torn} on are torn`,
    prepare: async (world: StorageWorld) => {
      for (const zxid of [1n, 3n, 5n, 7n]) {
        await appendUpTo(world, zxid, zxid + 1n);
        await world.snapshot();
      }
    },
    damage: (platter: Platter) => {
      for (let zxid = torn + 1n; zxid <= 8n; zxid += 2n) {
        const file = platter.find(`${DATA_DIR}/version-2/snapshot.${zxid}`);
        if (file instanceof Inode) file.truncate(file.size >> 1);
      }
    },
    run: async (world: StorageWorld) => {
      await world.dir.purge(1);
      await world.append(9n);
      await world.snapshot();
      await world.dir.purge(2);
      await world.append(10n);
    },
  })),
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
  const runner = new CrashingRunner(crashAt, random, scenario.isSlow);
  const work = async (): Promise<void> => {
    const fs = new PlatterFiles(platter, runner);
    const world = await StorageWorld.start(fs, promised);
    await scenario.run(world);
    assert.equal(world.fatal, []);
  };
  await Promise.race([work(), runner.crashed]);
  runner.isOver = true;
  return { platter, promised, calls: runner.calls };
}

/** Killed, or without power, and again while the next start reads. */
async function checkAfterCrash(platter: Platter, promised: Promised, random: Random) {
  if (random.oneIn(2)) platter.losePower(random);
  if (random.oneIn(2)) {
    const runner = new CrashingRunner(1 + random.below(40), random);
    const start = recoverAll(new PlatterFiles(platter, runner));
    await Promise.race([start, runner.crashed]);
    runner.isOver = true;
    if (random.oneIn(2)) platter.losePower(random);
  }
  // A start may report the txns that it found, so they must stay from then on.
  const least = await checkPromised(platter, promised);
  platter.losePower(random);
  await checkPromised(platter, { ...promised, least });
}

for (const scenario of SCENARIOS) {
  test(`a crash at any call keeps every acknowledged txn: ${scenario.name}`, async () => {
    const base = { platter: emptyPlatter(), promised: nothingPromised() };
    if (scenario.prepare !== undefined) {
      const fs = new PlatterFiles(base.platter, AT_ONCE);
      const world = await StorageWorld.start(fs, base.promised);
      await scenario.prepare(world);
      await world.disk.close();
    }
    scenario.damage?.(base.platter);
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

for (const dataLogDir of [DATA_DIR, LOG_DIR]) {
  const where = dataLogDir === DATA_DIR ? 'in one folder' : 'in two';
  test(`a crash at any call of a restore leaves the old tree or the new one, ${where}`, async () => {
    const base = { platter: emptyPlatter(), promised: nothingPromised() };
    const disk = new PlatterFiles(base.platter, AT_ONCE);
    const world = await StorageWorld.start(disk, base.promised, dataLogDir);
    await appendUpTo(world, 1n, 3n);
    await world.snapshot();
    await appendUpTo(world, 4n, 6n);
    await world.disk.close();
    const restored = new Database({});
    restored.finishSnapshot(1n);
    restored.replay(setDataEntry(2n, '/', Buffer.from('restored')));
    const restore = async (platter: Platter, runner: CrashingRunner, done: () => void) => {
      const fs = new PlatterFiles(platter, runner);
      const { dir } = await recoverAll(fs, undefined, dataLogDir);
      await adoptRestored(dir, await stageRestored(dir, contentOf(restored)));
      done();
      // Later txns belong to the new tree.
      const log = await LogFile.create(fs, `${dir.logFolder}/log.3`, LOG_OPTIONS);
      await log.write([buildRecord(setDataEntry(3n, '/', Buffer.from('logged')))]);
    };
    const all = new CrashingRunner(MAX_CALLS, new Random(0));
    await restore(base.platter.clone(), all, () => undefined);
    for (let crashAt = 1; crashAt <= all.calls + 1; crashAt++) {
      for (let seed = 0; seed < RESTORE_SEEDS; seed++) {
        const random = new Random(crashAt * 1000 + seed);
        const platter = base.platter.clone();
        const runner = new CrashingRunner(crashAt, random);
        let isAdopted = false;
        let isLogged = false;
        const restoring = restore(platter, runner, () => {
          isAdopted = true;
        }).then(() => {
          isLogged = true;
        });
        await Promise.race([restoring, runner.crashed]);
        if (random.oneIn(2)) platter.losePower(random);
        const at = `a crash at call ${crashAt}, seed ${seed}`;
        const fs = new PlatterFiles(platter, AT_ONCE);
        const { database } = await recoverAll(fs, undefined, dataLogDir).catch((error: Error) => {
          throw new Error(`${at}: ${error.message}`);
        });
        const { lastProcessedZxid: last } = database.tree;
        const data = database.tree.dataAt('/');
        const isNew = last === 2n && data === 'restored' && !isLogged;
        const isNewest = last === 3n && data === 'logged';
        const isOld = last === 6n && `${data}`.startsWith('6 ') && !isAdopted;
        assert.ok(isNew || isNewest || isOld, `${at}: ${last} ${data}`);
      }
    }
  });
}

test('the data that a start reads is durable, even if another program left it in the page cache', async () => {
  for (let seed = 0; seed < 100; seed++) {
    const random = new Random(seed);
    const [from, to] = [emptyPlatter(), emptyPlatter()];
    const promised = nothingPromised();
    const disk = new PlatterFiles(from, AT_ONCE);
    const world = await StorageWorld.start(disk, promised, LOG_DIR);
    await appendUpTo(world, 1n, 3n);
    await world.snapshot();
    await appendUpTo(world, 4n, 6n);
    await world.disk.close();
    // cp does not sync, and neither does Apache's server for snapshots.
    for (const folder of [DATA_DIR, LOG_DIR]) {
      to.makeFolder(`${folder}/version-2`);
      for (const [name, bytes] of from.keptFiles(`${folder}/version-2`)) {
        if (name.endsWith('Epoch')) to.put(`${folder}/version-2/${name}`, bytes);
      }
      for (const [name, bytes] of from.keptFiles(`${folder}/version-2`)) {
        if (name.endsWith('Epoch') || name === 'snapshot.0') continue;
        const file = new Inode();
        file.write(bytes, 0, false);
        to.place(`${folder}/version-2/${name}`).folder.change([name, file]);
      }
    }
    const least = await checkPromised(to, promised, LOG_DIR);
    assert.is(least, 6n);
    to.losePower(random);
    await checkPromised(to, { ...promised, least }, LOG_DIR).catch((error: Error) => {
      throw new Error(`seed ${seed}: ${error.message}`);
    });
  }
});

test.run();
