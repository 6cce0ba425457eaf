import { ACCEPTED_EPOCH_FILE, CURRENT_EPOCH_FILE } from '../../src/files/epochs.js';
import { snapshotFileName } from '../../src/files/file-names.js';
import { OPEN_ACL_KEY, writeSnapshot } from '../../src/files/snapshot.js';
import { StatPersisted } from '../../src/protocol/data.js';
import { Database } from '../../src/server/persistence/replay.js';
import { contentOf, sourceOf } from '../../src/server/persistence/snapshot-source.js';
import { addNode } from '../support/bytes/add-node.js';
import { BLANK_STAT } from '../support/bytes/blank-stat.js';
import { type SimDisk, VERSION_FOLDER } from './nodes/sim-disk.js';

/** The parent of sequential znodes. */
export const SEQUENCE = '/sequence';
/** The number of sequential znodes that can still be created below it. */
const NUMBERS_LEFT = 2;
/** The last txn of the data. */
export const AGED_ZXID = 0x1_0000_0005n;

/** Puts the data of an ensemble on a disk, with almost 2^31 sequential znodes created. */
export function putAgedData({ platter }: SimDisk): void {
  const database = new Database({ isTTLEnabled: true });
  const cversion = 2 ** 31 - 1 - NUMBERS_LEFT;
  for (const [path, stat] of [
    ['', BLANK_STAT],
    [SEQUENCE, { ...BLANK_STAT, czxid: 1n, mzxid: 1n, pzxid: AGED_ZXID, cversion }],
  ] as const) {
    addNode(database, path, Buffer.from('0'), OPEN_ACL_KEY, StatPersisted.encode(stat));
  }
  database.finishSnapshot(AGED_ZXID);
  const snapshot = Buffer.concat([...writeSnapshot(sourceOf(contentOf(database), true))]);
  platter.makeFolder(VERSION_FOLDER);
  platter.put(`${VERSION_FOLDER}/${snapshotFileName(AGED_ZXID)}`, snapshot);
  for (const name of [ACCEPTED_EPOCH_FILE, CURRENT_EPOCH_FILE]) {
    platter.put(`${VERSION_FOLDER}/${name}`, Buffer.from('1'));
  }
}
