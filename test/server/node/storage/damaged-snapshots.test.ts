/** Damaged snapshots at a purge and a truncation: what remains leads to the same tree. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkSnapshot } from '../../../../src/server/node/storage/check-snapshot.js';
import { truncateData } from '../../../../src/server/node/storage/truncate-data.js';
import { DATA_DIR, LOG_DIR } from '../../../support/bytes/crash-world.js';
import { Random } from '../../../support/random.js';
import {
  type Changes,
  DAMAGES,
  dirOf,
  fileIn,
  namesIn,
  recovered,
  SNAPSHOTS,
  snapshotsIn,
  stateOf,
  written,
} from './damaged-world.js';

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
        await dirOf(purged, form).purge(retain);
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
  await dir.purge(2);
  assert.equal(opened, ['snapshot.8', 'snapshot.6']);
  const old = dirOf(await written()).fs;
  assert.ok(old !== dir.fs);
  // A log that no snapshot needs lets the next purge look again.
  platter.put(`${DATA_DIR}/version-2/log.1`, Buffer.alloc(0));
  opened.length = 0;
  await dir.purge(2);
  assert.equal(opened, []);
  platter.put(`${DATA_DIR}/version-2/log.1`, Buffer.alloc(0));
  fileIn(platter, 'snapshot.8').truncate(40);
  await dir.purge(1);
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
  dir.fs.open = open;
  await dir.purge(1);
  assert.equal(snapshotsIn(platter), ['snapshot.8'], 'it was not noted as damaged');
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

test('a check tells how far a snapshot reaches, and what its seal is for', async () => {
  const platter = await written();
  const { fs, snapFolder, options } = dirOf(platter);
  const { maxEntryLength } = options;
  for (const name of snapshotsIn(platter)) {
    const zxid = BigInt(`0x${name.slice(name.indexOf('.') + 1)}`);
    const { size } = await fs.stat(`${snapFolder}/${name}`);
    const file = { name, zxid, size, mtimeMs: 0, compression: 'none' } as const;
    const end = await checkSnapshot(fs, { snapFolder, file, maxEntryLength });
    assert.equal(end, { sealed: { zxid }, reachedZxid: zxid }, name);
  }
});

test.run();
