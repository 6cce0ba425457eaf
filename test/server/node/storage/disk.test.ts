import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { contentOf } from '../../../../src/server/persistence/snapshot-source.js';
import { setDataEntry } from '../../../support/bytes/zk-files.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { waitFor } from '../../../support/wait-for.js';
import { rootOf, TREE, within } from './disk-world.js';
import { makeDir } from './make-dir.js';

/** A promise that the test resolves. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

test('all disk operations run in the order of the requests', () =>
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

test('a truncation cuts the log after the zxid, and removes later logs and snapshots', () =>
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
    await waitFor('the append after it', () => names('log.').includes('log.5'));
    assert.equal(names('log.'), ['log.1', 'log.4', 'log.5']);
    assert.equal(names('snapshot.'), ['snapshot.0', 'snapshot.3']);
    await disk.close();
    assert.is(await recovered(), '5');
  }));

test('snapshots that come due during another follow it as one, the newest', () =>
  within(async ({ disk, database, append, until, names }) => {
    append(1n, 2n, 3n, 4n);
    await until('4');
    for (const zxid of [1n, 2n, 3n, 4n]) disk.takeSnapshot({ ...contentOf(database), zxid });
    await waitFor('the last snapshot', () => names('snapshot.').includes('snapshot.4'));
    assert.equal(names('snapshot.'), ['snapshot.0', 'snapshot.1', 'snapshot.4']);
  }));

test('a snapshot that came due before a truncation is not written after it', () =>
  within(async ({ disk, database, append, done, until, names }) => {
    append(1n, 2n, 3n);
    await until('3');
    disk.takeSnapshot({ ...contentOf(database), zxid: 1n });
    disk.takeSnapshot({ ...contentOf(database), zxid: 3n });
    disk.truncate(2n, (left) => done.push(`left ${rootOf(left)}`));
    await until('left 2');
    await disk.close();
    assert.not.ok(names('snapshot.').some((name) => name.startsWith('snapshot.3')));
  }));

test('a truncation at the end of the log, or before its begin, changes nothing', () =>
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

test('a snapshot gets its name only after the log has all of its txns', () =>
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
    await waitFor('it to continue', () => names('snapshot.1').length === 0);
  }));

test('a snapshot waits for txns that are applied, but reach the log only at the end of the turn', () =>
  within(async ({ disk, dir, database, append, done, until, names }) => {
    append(1n);
    await until('1');
    const { fs } = dir;
    const nextTurn = async () => append(2n);
    const rename = (from: string, to: string) => {
      done.push(`renamed to ${basename(to)}`);
      return fs.rename(from, to);
    };
    Object.assign(dir, { fs: { ...fs, nextTurn, rename } });
    disk.takeSnapshot({ ...contentOf(database), zxid: 2n });
    await waitFor('a snapshot', () => names('snapshot.').includes('snapshot.2'));
    assert.equal(done, ['1', '2', 'renamed to snapshot.2']);
  }));

test('no snapshot gets its name while appends wait for other work, begun before or meanwhile', async () => {
  for (const isBegun of [true, false]) {
    await within(async ({ disk, log, database, warnings }) => {
      const work = gate();
      let asked = 0;
      log.untilDurable = async () => {
        asked++;
        if (isBegun) await work.opened;
        else disk.run(() => work.opened);
        return true;
      };
      disk.takeSnapshot(contentOf(database));
      if (isBegun) disk.run(() => work.opened);
      await waitFor('its end', () => (isBegun && asked > 0) || warnings.length > 0);
      assert.match(warnings.join(), /: the log has to be changed first$/);
      work.open();
    });
  }
});

test('nothing is purged during other work, such as a truncation', () =>
  within(async ({ disk, dir }) => {
    const work = gate();
    let purges = 0;
    dir.purge = async () => {
      purges++;
      return [];
    };
    disk.run(() => work.opened);
    disk.purge();
    assert.is(purges, 0);
    work.open();
    await waitFor('a purge', () => {
      disk.purge();
      return purges > 0;
    });
  }));

test('the log reports when an append is durable, regardless of later appends', () =>
  within(async ({ log, append, done, until }) => {
    append(1n);
    const isDurable = log.untilDurable();
    append(2n);
    assert.is(await isDurable, true);
    assert.ok(done.includes('1'));
    await until('2');
    assert.is(await log.untilDurable(), true);
  }));

test('a snapshot with later txns than its name is removed too, if they are truncated', () =>
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

test('without an earlier snapshot, a truncation removes nothing', () =>
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

test('without the logs after the earlier snapshot, a truncation removes nothing', () =>
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

test('a fuzzy snapshot does not replace another of the same name', () =>
  within(async ({ disk, database, append, done, until, warnings, names, recovered }) => {
    disk.install({ ...contentOf(database), zxid: 3n }, () => done.push('installed'));
    append(4n, 5n);
    await until('installed', '5');
    // As when the role of a learner ended and it applied its log during this write.
    database.replay(setDataEntry(5n, '/', Buffer.from('5')));
    disk.takeSnapshot({ ...contentOf(database), zxid: 3n });
    await waitFor('a warning', () => warnings.length > 0);
    assert.match(warnings.join(), /cannot write a snapshot: .*snapshot\.3: already exists/);
    disk.truncate(4n, (left) => done.push(`left ${rootOf(left)}`));
    await until('left 4');
    assert.equal(names('snapshot.'), ['snapshot.0', 'snapshot.3']);
    await disk.close();
    assert.is(await recovered(), '4');
  }));

test('a snapshot of the leader replaces all data from its event on', () =>
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

test('on a full disk, only a repair deletes the trees that were kept aside', async () => {
  for (const mismatchZxid of [null, 7n]) {
    await within(async ({ disk, dir, database, done, until, fatal }) => {
      const kept = join(dirname(dir.snapFolder), 'version-2.mismatch-5');
      mkdirSync(kept);
      const write = dir.writeSnapshot.bind(dir);
      let isFull = true;
      dir.writeSnapshot = async (...args) => {
        if (!isFull) return await write(...args);
        isFull = false;
        throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      };
      const content = { ...contentOf(database), zxid: 9n };
      disk.install(content, () => done.push('installed'), mismatchZxid);
      if (mismatchZxid === null) {
        await waitFor('an error', () => fatal.length > 0);
        assert.ok(existsSync(kept));
      } else {
        await until('installed');
        assert.not(existsSync(kept));
        assert.equal(fatal, []);
      }
    });
  }
});

test('txns of the old log after the snapshot of the leader are removed', () =>
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

test('an epoch that cannot be written stops the server, and nothing after it is reported', () =>
  within(async ({ disk, append, done, until, fatal, file }) => {
    append(1n);
    await until('1');
    // A folder in place of the new file.
    mkdirSync(file('currentEpoch.tmp'));
    disk.writeEpoch('currentEpoch', 3, () => done.push('current'));
    append(2n);
    await waitFor('an end', () => fatal.length > 0);
    assert.match(`${fatal[0]}`, /currentEpoch: cannot write: .*The server stops/);
    append(3n);
    await disk.close();
    assert.equal(done, ['1']);
  }));

test('a start accepts the files of an interrupted truncation', () =>
  within(async ({ disk, dir, database, append, until, file, names }) => {
    append(1n, 2n, 3n);
    await until('3');
    disk.takeSnapshot({ ...contentOf(database), zxid: 3n });
    await waitFor('a snapshot', () => names('snapshot.').includes('snapshot.3'));
    append(4n);
    await until('4');
    await disk.close();
    // To 1: the snapshot is removed first, then the later log, then the end of the first one.
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
