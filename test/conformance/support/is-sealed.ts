import { snapshotBytes } from '../../../src/commands/data-files/read-snapshot.js';

/** The last bytes of a whole snapshot: the string "/" (SnapStream.isValidSnapshot). */
const SEAL_END = Buffer.from([0, 0, 0, 1, 0x2f]);

export async function isSealed(snapshot: string): Promise<boolean> {
  let end = Buffer.alloc(0);
  try {
    for await (const piece of snapshotBytes(snapshot)) {
      end = Buffer.concat([end, piece.subarray(-SEAL_END.length)]).subarray(-SEAL_END.length);
    }
  } catch {
    return false;
  }
  return end.equals(SEAL_END);
}
