/**
 * Damaged snapshots wherever something is deleted: what remains must lead to the same tree, and
 * nothing that a leader dropped may come back.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { DataDir, type DataDirOptions } from '../../../../src/server/node/storage/data-dir.js';
import { writeSnapshotFile } from '../../../../src/server/node/storage/snapshot-file.js';
import { truncateData } from '../../../../src/server/node/storage/truncate-data.js';
import type { Database } from '../../../../src/server/persistence/replay.js';
import { contentOf } from '../../../../src/server/persistence/snapshot-source.js';
import {
  CrashingRunner,
  DATA_DIR,
  emptyPlatter,
  LOG_DIR,
  makeDir,
  nothingPromised,
  StorageWorld,
} from '../../../support/bytes/crash-world.js';
import { Folder, Inode, type Platter } from '../../../support/bytes/platter.js';
import { PlatterFiles } from '../../../support/bytes/platter-files.js';
import { buildRecord, setDataEntry } from '../../../support/bytes/zk-files.js';
import { Random } from '../../../support/random.js';

const NEVER = new AbortController().signal;
const SNAPSHOTS = 5;

type Changes = Partial<Omit<DataDirOptions, 'fs'>>;

function dirOf(platter: Platter, changes: Changes = {}, warnings: string[] = []): DataDir {
  const { options } = makeDir(new PlatterFiles(platter), (text) => warnings.push(text));
  return new DataDir({ ...options, ...changes });
}

async function recovered(platter: Platter, changes: Changes = {}): Promise<string> {
  const dir = dirOf(platter, changes);
  try {
    await dir.prepare();
    const { database } = await dir.recover();
    return stateOf(database);
  } catch (error) {
    return (error as Error).message;
  }
}

function stateOf({ tree }: Database): string {
  return `${tree.lastProcessedZxid} ${tree.dataAt('/')}`;
}

function namesIn(platter: Platter, folder = DATA_DIR): string[] {
  const found = platter.find(`${folder}/version-2`);
  return found instanceof Folder ? [...found.entries.keys()].sort() : [];
}

function snapshotsIn(platter: Platter): string[] {
  return namesIn(platter).filter((name) => name.startsWith('snapshot.'));
}

function fileIn(platter: Platter, name: string): Inode {
  const found = platter.find(`${DATA_DIR}/version-2/${name}`);
  assert.instance(found, Inode, name);
  return found as Inode;
}

/** A log for each snapshot, and one more, each of two txns. The first snapshot has an empty tree. */
async function written(changes: Changes = {}): Promise<Platter> {
  const platter = emptyPlatter();
  const dataLogDir = changes.dataLogDir ?? DATA_DIR;
  const world = await StorageWorld.start(new PlatterFiles(platter), nothingPromised(), dataLogDir);
  const dir = dirOf(platter, changes);
  for (let round = 1n; round <= SNAPSHOTS; round++) {
    if (round > 1n) {
      await dir.writeSnapshot(contentOf(world.database));
      world.log.roll();
    }
    await world.append(2n * round - 1n, 50);
    await world.append(2n * round, 50);
  }
  await world.disk.close();
  return platter;
}

const DAMAGES: readonly ((file: Inode) => void)[] = [
  (file) => file.truncate(file.size >> 1),
  (file) => file.truncate(0),
  (file) => file.truncate(file.size - 3),
  (file) => file.flip(file.size >> 1, 2),
  (file) => file.write(Buffer.alloc(file.size), 0, true),
];

const FORMS: readonly Changes[] = [
  {},
  { compression: 'gz' },
  { compression: 'snappy' },
  { dataLogDir: LOG_DIR },
];

for (const form of FORMS) {
  test(`a purge beside damaged snapshots leaves what a start needs: ${JSON.stringify(form)}`, async () => {
    const whole = await written(form);
    const names = snapshotsIn(whole);
    assert.is(names.length, SNAPSHOTS);
    const random = new Random(1);
    for (let damaged = 0; damaged < 1 << SNAPSHOTS; damaged++) {
      const platter = whole.clone();
      for (const [at, name] of names.entries()) {
        if ((damaged >> at) & 1) DAMAGES[random.below(DAMAGES.length)]?.(fileIn(platter, name));
      }
      const before = await recovered(platter.clone(), form);
      for (const retain of [1, 2, 3]) {
        const purged = platter.clone();
        await dirOf(purged, form).purge(retain, NEVER);
        const at = `damaged ${damaged.toString(2)}, retain ${retain}`;
        assert.is(await recovered(purged.clone(), form), before, at);
        const isLeft = (name: string, bit: number) =>
          ((damaged >> bit) & 1) === 0 && snapshotsIn(purged).includes(name);
        const kept = names.filter(isLeft).length;
        const there = names.filter((_, bit) => ((damaged >> bit) & 1) === 0).length;
        assert.is(kept, Math.min(retain, there), at);
        const isComplete = there >= retain;
        if (!isComplete) assert.equal(namesIn(purged), namesIn(platter), at);
      }
    }
  });
}

test('a purge reads no snapshot twice, and one that changed again', async () => {
  const platter = await written();
  const dir = dirOf(platter);
  const opened: string[] = [];
  const { open } = dir.fs;
  dir.fs.open = (path, ...rest) => {
    opened.push(path.slice(path.lastIndexOf('/') + 1));
    return open.call(dir.fs, path, ...rest);
  };
  await dir.purge(2, NEVER);
  assert.equal(opened, ['snapshot.8', 'snapshot.6']);
  const old = dirOf(await written()).fs;
  assert.ok(old !== dir.fs);
  // A log that no snapshot needs lets the next purge look again.
  platter.put(`${DATA_DIR}/version-2/log.1`, Buffer.alloc(0));
  opened.length = 0;
  await dir.purge(2, NEVER);
  assert.equal(opened, []);
  platter.put(`${DATA_DIR}/version-2/log.1`, Buffer.alloc(0));
  fileIn(platter, 'snapshot.8').truncate(40);
  await dir.purge(1, NEVER);
  assert.equal(opened, ['snapshot.8']);
  assert.equal(snapshotsIn(platter), ['snapshot.6', 'snapshot.8']);
});

test('a purge ends when the server does, and has removed nothing', async () => {
  const platter = await written();
  const dir = dirOf(platter);
  const end = new AbortController();
  const { open } = dir.fs;
  dir.fs.open = (...given) => {
    end.abort();
    return open.call(dir.fs, ...given);
  };
  const before = namesIn(platter);
  const failure = await dir.purge(1, end.signal).catch((error: Error) => error);
  assert.is((failure as Error).name, 'AbortError');
  assert.equal(namesIn(platter), before);
});

test('a truncation with damaged snapshots drops nothing, or leads to its zxid', async () => {
  const whole = await written();
  const names = snapshotsIn(whole);
  for (let damaged = 0; damaged < 1 << SNAPSHOTS; damaged++) {
    for (const log of ['', 'log.3']) {
      const platter = whole.clone();
      for (const [at, name] of names.entries()) {
        if ((damaged >> at) & 1) DAMAGES[at % DAMAGES.length]?.(fileIn(platter, name));
      }
      if (log !== '') fileIn(platter, log).flip(40, 1);
      const before = namesIn(platter);
      const database = await truncateData(dirOf(platter), 5n);
      const at = `damaged ${damaged.toString(2)} ${log}`;
      // snapshot.0, snapshot.2, and snapshot.4 are bases; the damaged log is after the second.
      const isBased = ((damaged >> 2) & 1) === 0 || (log === '' && (damaged & 3) !== 3);
      assert.is(database !== null, isBased, at);
      if (database === null) assert.equal(namesIn(platter), before, at);
      else {
        assert.match(stateOf(database), /^5 5 /, at);
        assert.is(await recovered(platter), stateOf(database), at);
      }
    }
  }
});

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
