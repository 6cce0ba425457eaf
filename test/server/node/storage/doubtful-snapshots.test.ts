/** Snapshots that are damaged, or too new, in a recovery, a restore, and after TRUNC and SNAP. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { DataDir } from '../../../../src/server/node/storage/data-dir.js';
import { writeSnapshotFile } from '../../../../src/server/node/storage/snapshot-file.js';
import { truncateData } from '../../../../src/server/node/storage/truncate-data.js';
import { contentOf } from '../../../../src/server/persistence/snapshot-source.js';
import {
  CrashingRunner,
  DATA_DIR,
  emptyPlatter,
  makeDir,
  nothingPromised,
  StorageWorld,
} from '../../../support/bytes/crash-world.js';
import type { Platter } from '../../../support/bytes/platter.js';
import { PlatterFiles } from '../../../support/bytes/platter-files.js';
import { buildRecord, setDataEntry } from '../../../support/bytes/zk-files.js';
import { Random } from '../../../support/random.js';
import {
  type Changes,
  DAMAGES,
  dirOf,
  fileIn,
  namesIn,
  recovered,
  snapshotsIn,
  stateOf,
  written,
} from './damaged-world.js';

/** Begun at 2, and completed when the tree was at 4. */
async function fuzzy(form: Changes): Promise<Platter> {
  const platter = emptyPlatter();
  const world = await StorageWorld.start(new PlatterFiles(platter), nothingPromised());
  for (const zxid of [1n, 2n, 3n, 4n, 5n, 6n]) await world.append(zxid, 10);
  await world.disk.close();
  const dir = dirOf(platter, form);
  const { tree } = (await dir.recover()).database;
  await dir.writeSnapshot({ tree, sessions: [], zxid: 2n });
  return platter;
}

const UNSEALED: Changes = { tree: { isDigestEnabled: false } };

for (const form of [{}, UNSEALED, { isLastZxidWritten: false }]) {
  test(`a truncation keeps no later txn of a fuzzy snapshot: ${JSON.stringify(form)}`, async () => {
    for (const [reading, isOnlyFuzzy] of [
      [{}, false],
      [UNSEALED, false],
      [{}, true],
      [UNSEALED, true],
    ] as const) {
      const platter = await fuzzy(form);
      if (isOnlyFuzzy) platter.remove(`${DATA_DIR}/version-2/snapshot.0`);
      const restarted = dirOf(platter, reading);
      await restarted.recover();
      const isBased = isOnlyFuzzy === false;
      const before = namesIn(platter);
      const left = await truncateData(restarted, 4n);
      assert.is(left !== null, isBased);
      if (left === null) assert.equal(namesIn(platter), before);
      else {
        assert.is(stateOf(left), `4 4 ${'x'.repeat(10)}`);
        assert.is(await recovered(platter, reading), stateOf(left));
      }
    }
  });
}

test('a snapshot of unknown reach does not survive the snapshot of a leader', async () => {
  const platter = await fuzzy(UNSEALED);
  const fs = new PlatterFiles(platter);
  const world = await StorageWorld.start(fs, nothingPromised());
  const leader = await StorageWorld.start(new PlatterFiles(emptyPlatter()), nothingPromised());
  for (const zxid of [1n, 2n, 3n]) await leader.append(zxid, 10);
  await new Promise<void>((resolve) => world.disk.install(contentOf(leader.database), resolve));
  await world.append(0x1_0000_0001n, 10);
  await world.disk.close();
  await leader.disk.close();
  fileIn(platter, 'snapshot.3').truncate(9);
  // Either all txns that the leader has, or none.
  assert.match(await recovered(platter), /restore|Restore/);
});

test('a damaged snapshot of a leader is not replaced by an older tree without its txns', async () => {
  const platter = emptyPlatter();
  const world = await StorageWorld.start(new PlatterFiles(platter), nothingPromised());
  await world.append(0x1_0000_0001n, 10);
  const leader = await StorageWorld.start(new PlatterFiles(emptyPlatter()), nothingPromised());
  for (const zxid of [0x1_0000_0001n, 0x1_0000_0002n]) await leader.append(zxid, 10);
  await leader.disk.close();
  await world.snapshot();
  await new Promise<void>((resolve) => world.disk.install(contentOf(leader.database), resolve));
  for (const next of [undefined, 0x2_0000_0001n]) {
    if (next !== undefined) await world.append(next, 10);
    const copy = platter.clone();
    assert.match(
      await recovered(copy.clone()),
      next === undefined ? /^4294967298 / : /^8589934593 /,
    );
    fileIn(copy, 'snapshot.100000002').truncate(9);
    const found = await recovered(copy);
    assert.match(
      found,
      /snapshot\.100000002: damaged, and no log has its txns 0x100000002 to 0x100000002/,
    );
  }
  await world.disk.close();
});

test('of several damaged snapshots, the newest tells which txns no log has', async () => {
  const platter = await written();
  for (const name of ['snapshot.6', 'snapshot.8']) fileIn(platter, name).truncate(9);
  for (const name of namesIn(platter)) {
    if (/^log\.[5-9a]$/.test(name)) platter.remove(`${DATA_DIR}/version-2/${name}`);
  }
  assert.match(
    await recovered(platter),
    /snapshot\.8: damaged, and no log has its txns 0x5 to 0x8/,
  );
});

test('an interrupted restore with a damaged snapshot removes nothing', async () => {
  const whole = await written();
  const bytes = Buffer.from(fileIn(whole, 'snapshot.8').bytes);
  for (const damage of DAMAGES) {
    const platter = whole.clone();
    const path = `${DATA_DIR}/version-2/restored.8`;
    platter.put(path, bytes);
    damage(fileIn(platter, 'restored.8'));
    const before = namesIn(platter);
    assert.match(await recovered(platter), /restored\.8: a restore was interrupted/);
    assert.equal(namesIn(platter), before);
    platter.remove(path);
    assert.match(await recovered(platter), /^10 10 /);
  }
});

test('trusted logs get a snapshot, so that the next start needs no trust', async () => {
  const whole = await written();
  for (const isEmptied of [false, true]) {
    const platter = whole.clone();
    for (const name of snapshotsIn(platter)) {
      if (isEmptied) fileIn(platter, name).truncate(0);
      else platter.remove(`${DATA_DIR}/version-2/${name}`);
    }
    const refusal = await recovered(platter);
    assert.match(refusal, /start with -D zookeeper\.snapshot\.trust\.empty=true, because/);
    const crashed = platter.clone();
    assert.match(await recovered(platter, { isEmptyTrusted: true }), /^10 10 /);
    assert.match(await recovered(platter), /^10 10 /);
    const runner = new CrashingRunner(1 << 20, new Random(0));
    await makeDir(new PlatterFiles(crashed.clone(), runner)).prepare();
    for (let crashAt = 1; crashAt < 60; crashAt++) {
      const copy = crashed.clone();
      const random = new Random(crashAt);
      const ending = new CrashingRunner(crashAt, random);
      const { options } = makeDir(new PlatterFiles(copy, ending));
      const start = new DataDir({ ...options, isEmptyTrusted: true }).recover();
      await Promise.race([start, ending.crashed]);
      ending.isOver = true;
      copy.losePower(random);
      assert.match(await recovered(copy, { isEmptyTrusted: true }), /^10 10 /);
      assert.match(await recovered(copy), /^10 10 /);
    }
  }
});

test('trust is not advised, and does not help, if the logs lack txns', async () => {
  const whole = await written();
  for (const gone of ['log.1', 'log.5', 'log.9']) {
    const platter = whole.clone();
    for (const name of snapshotsIn(platter)) fileIn(platter, name).truncate(0);
    platter.remove(`${DATA_DIR}/version-2/${gone}`);
    const isComplete = gone === 'log.9';
    assert.match(
      await recovered(platter),
      isComplete ? /trust\.empty=true/ : /do not suffice: .*: gap/,
    );
    const trusted = await recovered(platter, { isEmptyTrusted: true });
    assert.match(trusted, isComplete ? /^8 8 / : /: gap at/);
  }
});

test('an aborted snapshot leaves no file, compressed or not', async () => {
  for (const compression of ['none', 'gz', 'snappy'] as const) {
    const platter = emptyPlatter();
    const end = new AbortController();
    function* chunks(): Generator<Buffer> {
      yield Buffer.alloc(100, 1);
      end.abort();
      yield Buffer.alloc(100, 2);
    }
    const path = `${DATA_DIR}/snapshot.1.tmp`;
    const fs = new PlatterFiles(platter);
    const failure = await writeSnapshotFile(fs, path, chunks(), compression, end.signal).catch(
      (error: Error) => error.name,
    );
    assert.is(failure, 'AbortError');
    assert.is(platter.find(path), undefined);
  }
});

test('the end of a server ends a snapshot in progress, and the next start finds all txns', async () => {
  const platter = emptyPlatter();
  const held: (() => void)[] = [];
  let isSlow = false;
  const fs = new PlatterFiles(platter, {
    submit: (call) => {
      if (isSlow && call.kind === 'write' && call.path.includes('snapshot')) {
        held.push(() => call.run());
      } else call.run();
    },
    nextTurn: async () => undefined,
  });
  const world = await StorageWorld.start(fs, nothingPromised());
  await world.append(1n, 1000);
  isSlow = true;
  world.disk.takeSnapshot(contentOf(world.database));
  const record = buildRecord(setDataEntry(2n, '/', Buffer.from('2 ')));
  await new Promise<void>((resolve) => world.disk.append(record, 2n, resolve));
  assert.is(held.length, 1);
  const closed = world.disk.close();
  // The disk is slow: one write ends, and no other begins.
  held[0]?.();
  await closed;
  assert.is(held.length, 1);
  assert.equal(
    namesIn(platter).filter((name) => name.includes('snapshot.1')),
    [],
  );
  assert.match(await recovered(platter), /^2 2 /);
});

test.run();
