/**
 * Full disks, logs that end too early, and flipped bits: the messages, and the remaining files.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeFileAtomically } from '../../../../src/server/node/storage/atomic-file.js';
import {
  adoptRestored,
  dropStaged,
  stageRestored,
} from '../../../../src/server/node/storage/restored-data.js';
import { contentOf } from '../../../../src/server/persistence/snapshot-source.js';
import {
  emptyPlatter,
  makeDir,
  nothingPromised,
  recoverAll,
  StorageWorld,
} from '../../../support/bytes/crash-world.js';
import { Folder, fileError, Inode, type Platter } from '../../../support/bytes/platter.js';
import { AT_ONCE, type Call, PlatterFiles } from '../../../support/bytes/platter-files.js';

const VERSION = '/data/version-2';

/** A file system whose calls fail if `isFailing` returns true. */
function failing(platter: Platter, isFailing: (call: Call) => boolean): PlatterFiles {
  return new PlatterFiles(platter, {
    submit: (call) => {
      if (isFailing(call)) call.fail(fileError('ENOSPC', call.path));
      else call.run();
    },
    nextTurn: async () => undefined,
  });
}

function namesIn(platter: Platter): string[] {
  const folder = platter.find(VERSION);
  return folder instanceof Folder ? [...folder.entries.keys()].sort() : [];
}

function fileAt(platter: Platter, name: string): Inode {
  const found = platter.find(`${VERSION}/${name}`);
  assert.instance(found, Inode);
  return found as Inode;
}

/** Three logs of three txns, and snapshots of 0, 3, and 6. */
async function written(): Promise<Platter> {
  const platter = emptyPlatter();
  const world = await StorageWorld.start(new PlatterFiles(platter, AT_ONCE), nothingPromised());
  for (const first of [1n, 4n, 7n]) {
    for (let zxid = first; zxid < first + 3n; zxid++) await world.append(zxid, 100);
    if (first < 7n) await world.snapshot();
  }
  await world.disk.close();
  return platter;
}

interface Recovery {
  readonly warnings: string;
  /** The zxid of the tree, or the error. */
  readonly found: string;
}

async function recovery(platter: Platter): Promise<Recovery> {
  const warnings: string[] = [];
  const found = await recoverAll(new PlatterFiles(platter, AT_ONCE), (text) =>
    warnings.push(text),
  ).then(
    ({ database: { tree } }) => `${tree.lastProcessedZxid} ${tree.dataAt('/')}`,
    (error: Error) => error.message,
  );
  return { warnings: warnings.join('\n'), found };
}

test('on a full disk, no incomplete file stays, and the log continues', async () => {
  const calls = ['write', 'sync', 'rename'] as const;
  for (const kind of calls) {
    const platter = emptyPlatter();
    let isFull = false;
    const isFailing = (call: Call) => isFull && call.kind === kind && !call.path.includes('/log.');
    const fs = failing(platter, isFailing);
    const world = await StorageWorld.start(fs, nothingPromised());
    await world.append(1n);
    const before = namesIn(platter);
    isFull = true;
    const failed = await Promise.allSettled([
      world.disk.writeSnapshot(() => contentOf(world.database)),
      writeFileAtomically(fs, `${VERSION}/acceptedEpoch`, '7'),
      writeFileAtomically(fs, `${VERSION}/new`, '7'),
    ]);
    assert.ok(failed.every(({ status }) => status === 'rejected'));
    if (kind !== 'rename') {
      await stageRestored(world.dir, contentOf(world.database)).then(
        () => assert.unreachable('it was staged'),
        () => undefined,
      );
    }
    assert.equal(namesIn(platter), before, kind);
    await world.append(2n);
    assert.equal(world.fatal, []);
    await world.disk.close();
  }
});

test('a staged snapshot that is not adopted is removed, and an adopted one stays', async () => {
  const platter = emptyPlatter();
  const world = await StorageWorld.start(new PlatterFiles(platter, AT_ONCE), nothingPromised());
  await world.append(1n);
  const before = namesIn(platter);
  const staged = await stageRestored(world.dir, contentOf(world.database));
  assert.ok(namesIn(platter).includes(staged));
  await dropStaged(world.dir, staged);
  assert.equal(namesIn(platter), before);
  await world.disk.close();
  const next = await stageRestored(world.dir, contentOf(world.database));
  await adoptRestored(world.dir, next);
  const adopted = namesIn(platter);
  await dropStaged(world.dir, next);
  assert.equal(namesIn(platter), adopted);
});

test('after any failed call, no incomplete file stays, and the log continues', async () => {
  const kinds = new Set(['open', 'write', 'sync', 'close', 'rename', 'sync-folder']);
  let failed = 1;
  for (let failAt = 1; failed > 0; failAt++) {
    const platter = emptyPlatter();
    let calls = Number.NEGATIVE_INFINITY;
    const isFailing = ({ kind, path }: Call) =>
      kinds.has(kind) && !path.includes('/log.') && ++calls === failAt;
    const fs = failing(platter, isFailing);
    const world = await StorageWorld.start(fs, nothingPromised());
    await world.append(1n);
    calls = 0;
    const results = await Promise.allSettled([
      world.disk.writeSnapshot(() => contentOf(world.database)),
      writeFileAtomically(fs, `${VERSION}/acceptedEpoch`, '7'),
    ]);
    failed = results.filter(({ status }) => status === 'rejected').length;
    assert.equal(
      namesIn(platter).filter((name) => name.endsWith('.tmp')),
      [],
      `call ${failAt}`,
    );
    assert.ok(failAt > 8 || failed > 0, `call ${failAt} failed nothing`);
    calls = Number.NEGATIVE_INFINITY;
    await world.append(2n);
    assert.equal(world.fatal, []);
    await world.disk.close();
  }
});

test('a log that ends too early before another is refused and not changed', async () => {
  const platter = await written();
  for (const name of ['snapshot.3', 'snapshot.6']) platter.remove(`${VERSION}/${name}`);
  const log = fileAt(platter, 'log.4');
  log.truncate(log.size - 20);
  log.sync();
  const [size, names] = [log.size, namesIn(platter)];
  const { found, warnings } = await recovery(platter);
  assert.match(
    found,
    /log\.7: gap at offset 16: zxid 0x7 \(expected 0x6\): .*log\.4 ends too early\. Restore/,
  );
  assert.is(warnings, '');
  assert.is(log.size, size);
  assert.equal(namesIn(platter), names);
});

test('each truncation is reported with file, offset, and bytes', async () => {
  const whole = await written();
  const { size } = fileAt(whole, 'log.7');
  const record = (size - 16) / 3;
  for (let length = 0; length < size; length++) {
    const platter = whole.clone();
    const log = fileAt(platter, 'log.7');
    log.truncate(length);
    log.sync();
    const { warnings, found } = await recovery(platter);
    const records = Math.max(0, Math.floor((length - 16) / record));
    assert.match(found, new RegExp(`^${6 + records} `));
    const border = 16 + records * record;
    if (length < 16 + record) {
      assert.match(warnings, `log.7: removed, ${length} bytes`);
    } else if (length > border + 4) {
      // A record begins with four zeros, which look like preallocated space.
      assert.match(warnings, `log.7: a crash left the last write incomplete`);
      assert.match(warnings, `cut at offset ${border}, ${length - border} bytes`);
    }
  }
});

test('a truncation for a leader reports the truncated and removed files', async () => {
  const platter = await written();
  const warnings: string[] = [];
  const fs = new PlatterFiles(platter, AT_ONCE);
  const world = await StorageWorld.start(fs, nothingPromised());
  const dir = makeDir(fs, (text) => warnings.push(text));
  Object.assign(world.dir, { options: dir.options });
  const { size } = fileAt(platter, 'log.4');
  await world.truncate(5n);
  assert.match(warnings[0] ?? '', /log\.7: removed, \d+ bytes/);
  const left = fileAt(platter, 'log.4').size;
  assert.match(warnings[1] ?? '', `log.4: cut at offset ${left}, ${size - left} bytes`);
  await world.disk.close();
});

for (const name of ['log.7', 'snapshot.6', 'log.4']) {
  test(`a flipped bit of ${name} is found and named, or changes nothing`, async () => {
    const whole = await written();
    // Then log.4 is needed.
    if (name === 'log.4') {
      for (const snapshot of ['snapshot.3', 'snapshot.6']) {
        whole.remove(`${VERSION}/${snapshot}`);
      }
    }
    const good = (await recovery(whole.clone())).found;
    assert.match(good, /^9 9 /);
    const { size } = fileAt(whole, name);
    let told = 0;
    for (let at = 0; at < size; at++) {
      for (const bit of [0, 3, 7]) {
        const platter = whole.clone();
        fileAt(platter, name).flip(at, bit);
        const { found, warnings } = await recovery(platter);
        const said = `${warnings}\n${found}`;
        const isTold = said.includes(`${VERSION}/${name}: `) && / at offset \d+/.test(said);
        if (isTold) told++;
        const isSafe = found === good || (isTold && name.startsWith('log.'));
        assert.ok(isSafe, `byte ${at}, bit ${bit}: ${said}`);
        // No code reads the eight bytes of the database's id in a log.
        const isUnread = name.startsWith('log.') && at >= 8 && at < 16;
        if (!isUnread) assert.ok(isTold, `byte ${at}, bit ${bit} was not noticed: ${said}`);
      }
    }
    assert.ok(told > size);
  });
}

test.run();
