import * as assert from 'uvu/assert';
import { DataDir, type DataDirOptions } from '../../../../src/server/node/storage/data-dir.js';
import type { Database } from '../../../../src/server/persistence/replay.js';
import { contentOf } from '../../../../src/server/persistence/snapshot-source.js';
import {
  DATA_DIR,
  emptyPlatter,
  makeDir,
  nothingPromised,
  StorageWorld,
} from '../../../support/bytes/crash-world.js';
import { Folder, Inode, type Platter } from '../../../support/bytes/platter.js';
import { PlatterFiles } from '../../../support/bytes/platter-files.js';

export const SNAPSHOTS = 5;

export type Changes = Partial<Omit<DataDirOptions, 'fs'>>;

export function dirOf(platter: Platter, changes: Changes = {}, warnings: string[] = []): DataDir {
  const { options } = makeDir(new PlatterFiles(platter), (text) => warnings.push(text));
  return new DataDir({ ...options, ...changes });
}

export async function recovered(platter: Platter, changes: Changes = {}): Promise<string> {
  const dir = dirOf(platter, changes);
  try {
    await dir.prepare();
    const { database } = await dir.recover();
    return stateOf(database);
  } catch (error) {
    return (error as Error).message;
  }
}

export function stateOf({ tree }: Database): string {
  return `${tree.lastProcessedZxid} ${tree.dataAt('/')}`;
}

export function namesIn(platter: Platter, folder = DATA_DIR): string[] {
  const found = platter.find(`${folder}/version-2`);
  return found instanceof Folder ? [...found.entries.keys()].sort() : [];
}

export function snapshotsIn(platter: Platter): string[] {
  return namesIn(platter).filter((name) => name.startsWith('snapshot.'));
}

export function fileIn(platter: Platter, name: string): Inode {
  const found = platter.find(`${DATA_DIR}/version-2/${name}`);
  assert.instance(found, Inode, name);
  return found as Inode;
}

/** A log for each snapshot, and one more, of two txns each. The first snapshot is empty. */
export async function written(changes: Changes = {}): Promise<Platter> {
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

export const DAMAGES: readonly ((file: Inode) => void)[] = [
  (file) => file.truncate(file.size >> 1),
  (file) => file.truncate(0),
  (file) => file.truncate(file.size - 3),
  (file) => file.flip(file.size >> 1, 2),
  (file) => file.write(Buffer.alloc(file.size), 0, true),
];
