/** The initial trees of model runs, the same for the server and the model. */
import { OutputArchive } from '../../src/jute/output-archive.js';
import { StatPersisted, StatRecord } from '../../src/protocol/data.js';
import { Database } from '../../src/server/persistence/replay.js';
import type { DataTree } from '../../src/server/tree/data-tree.js';
import { addNode } from '../support/bytes/add-node.js';
import { dumpLine, type NaiveNode, NaiveTree } from './naive-tree.js';

const MAX = 2 ** 31 - 1;
const T0 = 1_799_000_000_000n;

/** Znodes with counters near their limits, a quota, and a few plain znodes; parents first. */
const SEEDED: readonly (readonly [path: string, node: Partial<NaiveNode>])[] = [
  ['/', { cversion: 6, pzxid: 6n }],
  ['/a', { czxid: 1n, mzxid: 1n, pzxid: 1n, ctime: T0, mtime: T0 }],
  // Its next creates exhaust the numbers of sequential znodes.
  ['/max', { czxid: 2n, mzxid: 2n, pzxid: 2n, ctime: T0, mtime: T0, cversion: MAX - 2 }],
  ['/neg', { czxid: 3n, mzxid: 3n, pzxid: 3n, ctime: T0, mtime: T0, cversion: -3 }],
  [
    '/v',
    {
      czxid: 4n,
      mzxid: 4n,
      pzxid: 4n,
      ctime: T0,
      mtime: T0,
      version: MAX - 1,
      aversion: MAX,
      data: 'v',
    },
  ],
  ['/q', { czxid: 5n, mzxid: 5n, pzxid: 5n, ctime: T0, mtime: T0 }],
  ['/zookeeper', { cversion: -1 }],
  [
    '/zookeeper/config',
    { aversion: -1, acl: [{ perms: 1, id: { scheme: 'world', id: 'anyone' } }] },
  ],
  ['/zookeeper/quota', { cversion: 1, pzxid: 6n }],
  ['/zookeeper/quota/q', { czxid: 6n, mzxid: 6n, pzxid: 6n, ctime: T0, mtime: T0, cversion: 2 }],
  [
    '/zookeeper/quota/q/zookeeper_limits',
    { czxid: 6n, mzxid: 6n, pzxid: 6n, data: 'count=3,bytes=-1;countHardLimit=4;byteHardLimit=9' },
  ],
  [
    '/zookeeper/quota/q/zookeeper_stats',
    { czxid: 6n, mzxid: 6n, pzxid: 6n, data: 'count=0,bytes=0' },
  ],
];

export function seedModel(): NaiveTree {
  const tree = new NaiveTree();
  for (const [path, node] of SEEDED) tree.seed(path, node);
  tree.seeded();
  return tree;
}

/** The same tree as a snapshot that ends at `zxid`. */
export function seedServer(zxid: bigint): Database {
  const database = new Database({ isTTLEnabled: true });
  for (const [path, { data, acl, czxid, mzxid, ctime, mtime, version, ...rest }] of seedModel()
    .nodes) {
    const { cversion, aversion, owner: ephemeralOwner, pzxid } = rest;
    const stat = { czxid, mzxid, ctime, mtime, version, cversion, aversion, ephemeralOwner, pzxid };
    const bytes = data === null ? null : Buffer.from(data, 'latin1');
    database.addAcl(1n, acl);
    addNode(database, path, bytes, 1n, StatPersisted.encode(stat));
  }
  database.finishSnapshot(zxid);
  return database;
}

/** The server's tree in the format of the model's `dump`. */
export function dumpOf(tree: DataTree): string[] {
  return [...tree.walk()]
    .map((node) => {
      const out = new OutputArchive();
      tree.writeStat(out, node);
      return dumpLine(
        tree.pathOf(node),
        tree.dataOf(node),
        tree.aclOf(node),
        StatRecord.decode(out.take()),
      );
    })
    .sort();
}
