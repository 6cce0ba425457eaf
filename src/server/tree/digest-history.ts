import type { TreeDigest } from '../../files/digest.js';
import { lowOf } from '../../jute/long.js';

/** The digest of the tree right after the txn `zxid`. */
export interface ZxidDigest {
  readonly zxid: bigint;
  readonly digest: bigint;
}

/** For `hash`: one digest per INTERVAL txns (a power of 2), at most LIMIT. */
const INTERVAL = 128;
const LIMIT = 1024;

export class DigestHistory {
  readonly digests: ZxidDigest[] = [];

  note(zxid: bigint, digest: TreeDigest): void {
    if ((lowOf(zxid) & (INTERVAL - 1)) !== 0) return;
    this.digests.push({ zxid, digest: digest.value });
    if (this.digests.length > LIMIT) this.digests.shift();
  }
}
