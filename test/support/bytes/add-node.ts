import type { NodePlace } from '../../../src/files/node-place.js';
import type { Database } from '../../../src/server/persistence/replay.js';

/**
 * A znode as a snapshot has it.
 * @param stat the 60 bytes of its StatPersisted
 */
export function placeOf(
  path: string,
  data: Buffer | null,
  aclKey: bigint,
  stat: Uint8Array,
): NodePlace {
  const lengths = Buffer.alloc(8);
  const pathBytes = Buffer.from(path);
  lengths.writeInt32BE(pathBytes.length);
  lengths.writeInt32BE(data?.length ?? -1, 4);
  const key = Buffer.alloc(8);
  key.writeBigInt64BE(aclKey);
  const [pathLength, dataLength] = [lengths.subarray(0, 4), lengths.subarray(4)];
  const pathEnd = 4 + pathBytes.length;
  const dataEnd = pathEnd + 4 + (data?.length ?? 0);
  const bytes = Buffer.concat([
    pathLength,
    pathBytes,
    dataLength,
    data ?? key.subarray(8),
    key,
    stat,
  ]);
  return { bytes, start: 0, pathEnd, dataEnd, end: bytes.length };
}

/** Adds a znode as a snapshot has it, likewise. */
export function addNode(
  database: Database,
  path: string,
  data: Buffer | null,
  aclKey: bigint,
  stat: Uint8Array,
): void {
  database.addNode(placeOf(path, data, aclKey, stat));
}
