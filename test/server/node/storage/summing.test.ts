import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeSnapshot } from '../../../../src/files/snapshot.js';
import { NO_STAT } from '../../../../src/protocol/data.js';
import { NODE_FILES } from '../../../../src/server/node/storage/file-system.js';
import {
  loadDatabase,
  type Summing,
  sumFile,
} from '../../../../src/server/node/storage/load-snapshot.js';
import { sumOnThread } from '../../../../src/server/node/storage/snapshot-thread.js';
import { Database } from '../../../../src/server/persistence/replay.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';

/** `/d` occurs twice: it was deleted and created again while the snapshot was written. */
const PATHS = '|/zookeeper|/zookeeper/quota|/zookeeperx|/a|/a/ü|/日本|/d|/d/c|/d|/e'.split('|');

interface World {
  readonly path: string;
  readonly warnings: string[];
  load(summing?: Summing, isDigestEnabled?: boolean): Promise<Database | string>;
}

async function inWorld(run: (world: World) => Promise<void>): Promise<void> {
  const { path: snapFolder, remove } = makeTempDir('summing');
  const nodes = PATHS.map((path, i) => {
    const data = i % 3 === 0 ? null : Buffer.alloc(40 * i, i);
    return {
      path,
      data,
      aclKey: -1n,
      stat: { ...NO_STAT, mzxid: BigInt(i), version: 5, pzxid: 8n },
    };
  });
  const bytes = Buffer.concat([...writeSnapshot({ zxid: 9n, sessions: [], acls: [], nodes })]);
  const path = join(snapFolder, 'snapshot.9');
  writeFileSync(path, bytes);
  const file = { name: 'snapshot.9', size: bytes.length, zxid: 9n, compression: 'none' } as const;
  const warnings: string[] = [];
  const onWarning = (message: string) => warnings.push(message);
  const load = (summing?: Summing, isDigestEnabled = true) => {
    const options = { maxEntryLength: 1 << 20, tree: { isDigestEnabled }, summing, onWarning };
    return loadDatabase({ fs: NODE_FILES, snapFolder, options }, file);
  };
  try {
    await run({ path, warnings, load });
  } finally {
    remove();
  }
}

/** The znodes with their sums; the audit computes each again. */
function sumsIn(loaded: Database | string): unknown {
  assert.instance(loaded, Database);
  const { tree } = loaded as Database;
  tree.audit(0).poll(1);
  return {
    digest: tree.digest.value,
    znodes: [...tree.walk()].map((node) => {
      const { pathCrc, contentCrc, digest } = tree.statOf(node);
      return [tree.pathOf(node), pathCrc, contentCrc, digest];
    }),
  };
}

test('a thread computes the sums that the loading thread computes', () =>
  inWorld(async ({ load, warnings }) => {
    const alone = await load();
    assert.equal(sumsIn(await load({ fromBytes: 0, run: sumOnThread })), sumsIn(alone));
    assert.equal(warnings, []);
  }));

test('without the thread, the snapshot is read again', () =>
  inWorld(async ({ load, warnings }) => {
    const run = () => Promise.reject(new Error('no more threads'));
    assert.equal(sumsIn(await load({ fromBytes: 0, run })), sumsIn(await load()));
    assert.is(warnings.length, 1);
    assert.match(warnings[0] ?? '', /snapshot\.9: reading it again.*: no more threads$/);
  }));

test('a damaged snapshot is refused for the reason that the loading thread found', () =>
  inWorld(async ({ path, load, warnings }) => {
    const bytes = readFileSync(path);
    bytes[bytes.length - 60] = ~(bytes[bytes.length - 60] as number);
    writeFileSync(path, bytes);
    const summing = { fromBytes: 0, run: sumOnThread };
    assert.is(await load(summing), await load());
    assert.match((await load(summing)) as string, /checksum/);
    assert.equal(warnings, []);
  }));

test('a small snapshot, or one without digests, needs no thread', () =>
  inWorld(async ({ path, load }) => {
    let runs = 0;
    const run: Summing['run'] = (job) => {
      runs++;
      return sumFile(NODE_FILES, job);
    };
    const { length } = readFileSync(path);
    assert.instance(await load({ fromBytes: length + 1, run }), Database);
    assert.instance(await load({ fromBytes: 0, run }, false), Database);
    assert.is(runs, 0);
    assert.instance(await load({ fromBytes: length, run }), Database);
    assert.is(runs, 1);
  }));

test.run();
