import {
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { buildLog, setDataEntry } from '../../../support/bytes/zk-files.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { taskJson } from '../call-task.js';
import { makeSnapshot } from '../files/make-snapshot.js';

const LONG_AGO = new Date(-2_000_000_000);
const NODES = ['', '/zookeeper', '/zookeeper/quota', '/app'].map((path) => ({ path }));

/** A backup of snapshots at 0, 2, 4, and 6, all older than a day, and a log of each. */
async function withBackup(
  isSealed: boolean,
  use: (kept: string, run: () => ReturnType<typeof taskJson>) => Promise<void>,
): Promise<void> {
  const home = makeTempDir('retention');
  const [member, to] = [join(home.path, 'data'), join(home.path, 'kept')];
  const file = (name: string) => join(member, 'version-2', name);
  mkdirSync(join(member, 'version-2'), { recursive: true });
  for (const at of [0, 2, 4, 6]) {
    const zxids = [BigInt(at + 1), BigInt(at + 2)];
    const entries = zxids.map((zxid) => setDataEntry(zxid, '/app', Buffer.from(`${zxid}`)));
    writeFileSync(file(`log.${at + 1}`), buildLog(entries));
    const seal = isSealed ? { digestZxid: BigInt(at) } : {};
    writeFileSync(file(`snapshot.${at}`), makeSnapshot({ nodes: NODES, ...seal }));
    utimesSync(file(`snapshot.${at}`), LONG_AGO, LONG_AGO);
  }
  const run = (...args: string[]) =>
    taskJson(['backup', 'run', member, '--to', to, '--once', ...args]);
  try {
    await run();
    // The member no longer has them, so that nothing comes back.
    for (const at of [0, 2, 4, 6]) truncateSync(file(`snapshot.${at}`), 0);
    await use(join(to, 'version-2'), () => run('--keep-time', '1d'));
  } finally {
    home.remove();
  }
}

function snapshotsIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.startsWith('snapshot.'));
}

for (const damaged of [[], ['6'], ['6', '4'], ['6', '4', '2']]) {
  test(`retention counts whole snapshots only: ${damaged} of 0, 2, 4, 6 damaged`, () =>
    withBackup(true, async (kept, run) => {
      for (const at of damaged) {
        const path = join(kept, `snapshot.${at}`);
        const half = readFileSync(path).length >> 1;
        truncateSync(path, half);
        utimesSync(path, LONG_AGO, LONG_AGO);
      }
      const out = JSON.stringify(await run());
      const base = 6 - 2 * damaged.length;
      const expected = [0, 2, 4, 6].filter((at) => at >= base).map((at) => `snapshot.${at}`);
      assert.equal(snapshotsIn(kept), expected, out);
      assert.ok(readdirSync(kept).some((name) => name.startsWith('log.')));
      for (const at of damaged) assert.match(out, `snapshot.${at}: damaged`);
    }));
}

test('retention keeps one more without seals, because only the next one tells how far one reaches', () =>
  withBackup(false, async (kept, run) => {
    await run();
    assert.equal(snapshotsIn(kept), ['snapshot.4', 'snapshot.6']);
  }));

test.run();
