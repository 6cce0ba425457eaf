import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildRecord, setDataEntry } from '../../../support/bytes/zk-files.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';

export const HEADER_SIZE = 16;
const DATA = Buffer.from('some data of a znode');
export const entries = (...zxids: number[]) =>
  zxids.map((zxid) => setDataEntry(BigInt(zxid), `/app/n${zxid}`, DATA));
/** The records of `entries` have one length, as long as the path does not change. */
export const RECORD_SIZE = buildRecord(entries(1)[0] ?? Buffer.alloc(0)).length;

/** A folder with these files, for the duration of `run`. */
export async function withFiles(
  files: Readonly<Record<string, Buffer>>,
  run: (path: (name: string) => string) => Promise<void>,
): Promise<void> {
  const folder = makeTempDir('files');
  try {
    for (const [name, bytes] of Object.entries(files)) {
      writeFileSync(join(folder.path, name), bytes);
    }
    await run((name) => join(folder.path, name));
  } finally {
    folder.remove();
  }
}

export function changed(bytes: Buffer, offset: number, to: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[offset] = to;
  return copy;
}
