import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { contentOf } from '../../../../src/server/persistence/snapshot-source.js';
import { makeTempDir } from '../../../support/temp-dir.js';
import { waitFor } from '../../../support/wait-for.js';
import { setDataEntry } from '../../../support/zk-files.js';
import { rootOf, TREE, within } from './disk-world.js';
import { makeDir } from './make-dir.js';

test('all that touches the disk is done in the order in which it was asked for', () =>
  within(async ({ disk, append, done, until, file, recovered }) => {
    append(1n, 2n);
    disk.writeEpoch('acceptedEpoch', 7, () => done.push('accepted'));
    append(3n);
    disk.truncate(2n, (left) => done.push(`left ${rootOf(left)}`));
    disk.writeEpoch('currentEpoch', 7, () => done.push('current'));
    append(0x7_0000_0001n);
    await until(`${0x7_0000_0001n}`);
    assert.equal(done, ['1', '2', 'accepted', '3', 'left 2', 'current', `${0x7_0000_0001n}`]);
    assert.is(readFileSync(file('acceptedEpoch'), 'utf8'), '7');
    assert.is(readFileSync(file('currentEpoch'), 'utf8'), '7');
    assert.not.ok(existsSync(file('currentEpoch.tmp')));
    await disk.close();
    assert.is(await recovered(), `${0x7_0000_0001n}`);
  }));

test('a truncation cuts the log behind the zxid, and drops later logs and snapshots', () =>
  within(async ({ disk, database, append, done, until, names, recovered }) => {
    append(1n, 2n, 3n);
    await until('3');
    disk.takeSnapshot({ ...contentOf(database), zxid: 3n });
    await waitFor('a snapshot', () => names('snapshot.').includes('snapshot.3'));
    append(4n, 5n, 6n);
    await until('6');
    disk.takeSnapshot({ ...contentOf(database), zxid: 6n });
    append(7n);
    await until('7');
    await waitFor('a snapshot', () => names('snapshot.').includes('snapshot.6'));
    assert.equal(names('log.'), ['log.1', 'log.4', 'log.7']);
    disk.truncate(4n, (left) => done.push(`left ${rootOf(left)}`));
    append(5n);
    await until('left 4');
    await waitFor('the append behind it', () => names('log.').includes('log.5'));
    assert.equal(names('log.'), ['log.1', 'log.4', 'log.5']);
    assert.equal(names('snapshot.'), ['snapshot.0', 'snapshot.3']);
    await disk.close();
    assert.is(await recovered(), '5');
  }));

test('a truncation to where the log ends, or before it begins, is no harm', () =>
  within(async ({ disk, append, done, until, names, recovered }) => {
    append(1n, 2n);
    disk.truncate(2n, (left) => done.push(`left ${rootOf(left)}`));
    disk.truncate(9n, (left) => done.push(`still ${rootOf(left)}`));
    await until('left 2', 'still 2');
    disk.truncate(0n, (left) => done.push(`left "${rootOf(left)}"`));
    await until('left ""');
    assert.equal(names('log.'), []);
    append(1n);
    await until('1');
    await disk.close();
    assert.is(await recovered(), '1');
  }));

test('a snapshot has no name before the log holds what it shows', () =>
  within(async ({ disk, log, database, append, until, names }) => {
    append(1n);
    await until('1');
    const asked: ((isDurable: boolean) => void)[] = [];
    log.untilDurable = () => new Promise((resolve) => asked.push(resolve));
    database.replay(setDataEntry(1n, '/', Buffer.from('1')));
    disk.takeSnapshot(contentOf(database));
    await waitFor('the log to be asked', () => asked.length === 1);
    assert.equal(names('snapshot.1'), ['snapshot.1.tmp']);
    asked[0]?.(false);
    await waitFor('it to go again', () => names('snapshot.1').length === 0);
  }));

test('the log says when what was appended is durable, whatever is appended behind it', () =>
  within(async ({ log, append, done, until }) => {
    append(1n);
    const isDurable = log.untilDurable();
    append(2n);
    assert.is(await isDurable, true);
    assert.ok(done.includes('1'));
    await until('2');
    assert.is(await log.untilDurable(), true);
  }));

test('a snapshot that holds more than its name says goes too, when it is behind the cut', () =>
  within(async ({ disk, database, append, done, until, names }) => {
    append(1n, 2n, 3n);
    await until('3');
    // As when the tree moved on to 3 while the snapshot was written.
    database.replay(setDataEntry(3n, '/', Buffer.from('3')));
    disk.takeSnapshot({ ...contentOf(database), zxid: 1n });
    disk.truncate(2n, (left) => done.push(`left ${rootOf(left)}`));
    await until('left 2');
    assert.equal(names('snapshot.'), ['snapshot.0']);
  }));

test('without a snapshot to read back from nothing is dropped', () =>
  within(async ({ disk, database, append, until, done, names, file }) => {
    append(1n, 2n, 3n);
    disk.install({ ...contentOf(database), zxid: 3n }, () => undefined);
    append(4n);
    await until('4');
    rmSync(file('snapshot.0'));
    disk.truncate(2n, (left) => done.push(`left ${rootOf(left)}`));
    await until('left nothing');
    assert.equal(names('log.'), ['log.1', 'log.4']);
    assert.equal(names('snapshot.'), ['snapshot.3']);
  }));

test('without the logs behind the snapshot to read back from nothing is dropped', () =>
  within(async ({ disk, database, append, until, done, names }) => {
    disk.install({ ...contentOf(database), zxid: 3n }, () => undefined);
    append(4n, 5n);
    await until('5');
    database.replay(setDataEntry(6n, '/', Buffer.from('6')));
    disk.takeSnapshot({ ...contentOf(database), zxid: 5n });
    await waitFor('a snapshot', () => names('snapshot.').includes('snapshot.5'));
    disk.truncate(1n, (left) => done.push(`left ${rootOf(left)}`));
    await until('left nothing');
    assert.equal(names('log.'), ['log.4']);
    assert.equal(names('snapshot.'), ['snapshot.0', 'snapshot.3', 'snapshot.5']);
  }));

test('a fuzzy snapshot does not replace the one that has its name', () =>
  within(async ({ disk, database, append, done, until, warnings, names, recovered }) => {
    disk.install({ ...contentOf(database), zxid: 3n }, () => done.push('installed'));
    append(4n, 5n);
    await until('installed', '5');
    // As when a learner's role ended, and applied what it had logged, while this was written.
    database.replay(setDataEntry(5n, '/', Buffer.from('5')));
    disk.takeSnapshot({ ...contentOf(database), zxid: 3n });
    await waitFor('a warning', () => warnings.length > 0);
    assert.match(warnings.join(), /cannot write a snapshot: .*snapshot\.3: exists already/);
    disk.truncate(4n, (left) => done.push(`left ${rootOf(left)}`));
    await until('left 4');
    assert.equal(names('snapshot.'), ['snapshot.0', 'snapshot.3']);
    await disk.close();
    assert.is(await recovered(), '4');
  }));

test('a snapshot of the leader is the whole truth from its event on', () =>
  within(async ({ disk, append, done, until, names, recovered }) => {
    append(1n, 2n, 3n);
    const home = makeTempDir('leader');
    try {
      const leader = makeDir(home.path, TREE);
      await leader.prepare();
      const { database } = await leader.recover();
      database.replay(setDataEntry(0x2_0000_0005n, '/', Buffer.from('of the leader')));
      disk.install(contentOf(database), () => {
        assert.ok(names('snapshot.').includes('snapshot.200000005'));
        done.push('installed');
      });
      await until('installed');
      assert.is(await recovered(), 'of the leader');
      append(0x2_0000_0006n);
      await until(`${0x2_0000_0006n}`);
      await disk.close();
      assert.equal(names('log.'), ['log.1', 'log.200000006']);
      assert.is(await recovered(), `${0x2_0000_0006n}`);
    } finally {
      home.remove();
    }
  }));

test('what the log of before holds behind the snapshot of the leader is dropped', () =>
  within(async ({ disk, database, append, done, until, names, recovered }) => {
    append(1n, 2n, 3n, 4n);
    await until('4');
    database.replay(setDataEntry(2n, '/', Buffer.from('two')));
    disk.install(contentOf(database), () => done.push('installed'));
    await until('installed');
    assert.equal(names('snapshot.'), ['snapshot.0', 'snapshot.2']);
    await disk.close();
    assert.is(await recovered(), 'two');
  }));

test('an epoch that cannot be written stops the server, and nothing behind it is told', () =>
  within(async ({ disk, append, done, until, fatal, file }) => {
    append(1n);
    await until('1');
    // A folder stands where the new file would go.
    mkdirSync(file('currentEpoch.tmp'));
    disk.writeEpoch('currentEpoch', 3, () => done.push('current'));
    append(2n);
    await waitFor('an end', () => fatal.length > 0);
    assert.match(`${fatal[0]}`, /currentEpoch: cannot write .* so it stops/);
    append(3n);
    await disk.close();
    assert.equal(done, ['1']);
  }));

test('a start accepts what a crash within a truncation leaves', () =>
  within(async ({ disk, dir, database, append, until, file, names }) => {
    append(1n, 2n, 3n);
    await until('3');
    disk.takeSnapshot({ ...contentOf(database), zxid: 3n });
    await waitFor('a snapshot', () => names('snapshot.').includes('snapshot.3'));
    append(4n);
    await until('4');
    await disk.close();
    // To 1: the snapshot goes first, then the later log, then the end of the first one.
    const home = makeTempDir('crash');
    try {
      for (const [gone, end] of [
        [['snapshot.3'], '4'],
        [['snapshot.3', 'log.4'], '3'],
      ] as const) {
        const copy = join(home.path, end);
        mkdirSync(join(copy, 'version-2'), { recursive: true });
        for (const name of readdirSync(dir.snapFolder)) {
          if ((gone as readonly string[]).includes(name)) continue;
          copyFileSync(file(name), join(copy, 'version-2', name));
        }
        assert.is(rootOf((await makeDir(copy, TREE).recover()).database), end);
      }
    } finally {
      home.remove();
    }
  }));

test.run();
