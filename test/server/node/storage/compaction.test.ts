import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type CompactionJob,
  compactSnapshot,
} from '../../../../src/server/node/storage/compact-snapshot.js';
import { DataDir, type DataDirOptions } from '../../../../src/server/node/storage/data-dir.js';
import { NODE_FILES } from '../../../../src/server/node/storage/file-system.js';
import { LogDisk } from '../../../../src/server/node/storage/log-disk.js';
import { compactOnThread } from '../../../../src/server/node/storage/snapshot-thread.js';
import type { Database } from '../../../../src/server/persistence/replay.js';
import type { SnapshotContent } from '../../../../src/server/persistence/snapshot-content.js';
import { exactContentOf } from '../../../../src/server/persistence/snapshot-source.js';
import { buildRecord, setDataEntry } from '../../../support/bytes/zk-files.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { makeDir } from './make-dir.js';

const TXNS = 10n;
const LOG_BYTES = 1024 * 1024;

interface World {
  readonly dir: DataDir;
  readonly database: Database;
  readonly warnings: string[];
  readonly content: SnapshotContent;
  /** Adds a txn to the log only. */
  append(zxid: bigint): Promise<void>;
  close(): Promise<void>;
}

/** A data directory with an empty snapshot and a few txns. */
async function makeWorld(options: Partial<DataDirOptions> = {}): Promise<World> {
  const temporary = makeTempDir('compaction');
  const warnings: string[] = [];
  const compaction = { fromZnodes: 0, toLogBytes: LOG_BYTES, run: compactOnThread };
  const dir = new DataDir({
    ...makeDir(temporary.path).options,
    onWarning: (message) => warnings.push(message),
    compaction,
    ...options,
  });
  await dir.prepare();
  const { database } = await dir.recover();
  const log = new LogDisk({
    folder: dir.logFolder,
    preAllocSize: 1024,
    maxFileSize: 0,
    isSynced: true,
    slowSyncMs: Number.POSITIVE_INFINITY,
    onSlowSync: () => undefined,
    onError: (error) => warnings.push(error.message),
  });
  const entryOf = (zxid: bigint): Buffer => setDataEntry(zxid, '/', Buffer.from(`${zxid}`));
  const append = async (zxid: bigint): Promise<void> => {
    log.append(buildRecord(entryOf(zxid)), zxid, () => undefined);
    await log.untilDurable();
  };
  for (let zxid = 1n; zxid <= TXNS; zxid++) {
    await append(zxid);
    database.replay(entryOf(zxid));
  }
  const content = exactContentOf(database);
  const close = async (): Promise<void> => {
    await log.close();
    temporary.remove();
  };
  return { dir, database, warnings, content, append, close };
}

async function expectSnapshot({ dir, database }: World): Promise<void> {
  const again = await new DataDir(dir.options).recover();
  assert.is(again.snapshotZxid, TXNS);
  assert.is(again.replayed.txns, 0);
  assert.is(again.database.tree.digest.value, database.tree.digest.value);
  assert.is(again.database.sealed?.digest, database.tree.digest.value);
  assert.is(again.database.tree.dataAt('/'), database.tree.dataAt('/'));
}

for (const compression of ['none', 'gz', 'snappy'] as const) {
  test(`another thread makes a snapshot of files: compression ${compression}`, async () => {
    const world = await makeWorld({ compression });
    try {
      const written = await world.dir.writeSnapshot(world.content);
      assert.is(
        basename(written.path),
        `snapshot.a${compression === 'none' ? '' : `.${compression}`}`,
      );
      const { size, mtimeMs } = statSync(written.path);
      const file = { name: basename(written.path), size, mtimeMs };
      assert.is(world.dir.known.of(file)?.reach, TXNS);
      assert.equal(world.warnings, []);
      await expectSnapshot(world);
      // From this one, too.
      const next = { ...world.content, zxid: TXNS };
      await world.dir.writeSnapshot(next);
      assert.match(world.warnings.join(), /no older snapshot to begin with/);
    } finally {
      await world.close();
    }
  });
}

test('a compaction that would lead to another tree is refused, and the tree is written', async () => {
  const world = await makeWorld();
  try {
    const { content } = world;
    assert.ok(content.exact !== undefined);
    const exact = { ...content.exact, digest: 1n };
    await world.dir.writeSnapshot({ ...content, exact });
    assert.match(world.warnings.join(), /cannot compact .* \(expected 0x0*1\)$/);
    await expectSnapshot(world);
  } finally {
    await world.close();
  }
});

test('a log that is too long for the memory is not compacted', async () => {
  const run = async () => {
    throw new Error('compacted');
  };
  const world = await makeWorld({ compaction: { fromZnodes: 0, toLogBytes: 100, run } });
  try {
    await world.dir.writeSnapshot(world.content);
    assert.equal(world.warnings, []);
    await expectSnapshot(world);
  } finally {
    await world.close();
  }
});

test('a compaction needs the last txn in the log', async () => {
  const world = await makeWorld();
  try {
    await world.dir.writeSnapshot({ ...world.content, zxid: TXNS + 1n });
    assert.match(world.warnings.join(), /the log ends at zxid 0xa$/);
  } finally {
    await world.close();
  }
});

test('a compaction does not skip a txn that the log lacks', async () => {
  const world = await makeWorld();
  try {
    await world.append(TXNS + 2n);
    await world.dir.writeSnapshot({ ...world.content, zxid: TXNS + 2n });
    assert.match(world.warnings.join(), /zxid 0xc \(expected 0xb\)$/);
  } finally {
    await world.close();
  }
});

test('both threads write the same bytes', async () => {
  const jobs: CompactionJob[] = [];
  const run = async (job: CompactionJob): Promise<void> => {
    jobs.push(job);
    await compactSnapshot(NODE_FILES, job);
  };
  const world = await makeWorld({ compaction: { fromZnodes: 0, toLogBytes: LOG_BYTES, run } });
  try {
    const { path } = await world.dir.writeSnapshot(world.content);
    const [job] = jobs;
    assert.ok(job !== undefined);
    const other = `${path}.other`;
    await NODE_FILES.rename(path, other);
    await compactOnThread(job, new AbortController().signal);
    assert.ok(readFileSync(job.path).equals(readFileSync(other)));
  } finally {
    await world.close();
  }
});

test.run();
