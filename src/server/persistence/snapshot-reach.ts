/**
 * How far a snapshot reaches. It is written while txns are applied, so it may contain later ones
 * than its name says. A truncation must not keep those.
 */

/** The end of a file: of its digest, and of its last section. Null without it. */
export interface SnapshotEnd {
  readonly sealed: { readonly zxid: bigint } | null;
  readonly reachedZxid: bigint | null;
}

/**
 * The last txn that the snapshot may contain; null if nothing tells it, as with
 * digest.enabled=false.
 * @param named the zxid of its name
 * @param isExact the digest at its end is that of its tree
 */
export function reachOf(
  { sealed, reachedZxid }: SnapshotEnd,
  named: bigint,
  isExact: boolean,
): bigint | null {
  if (isExact && sealed !== null) return sealed.zxid;
  const sealedZxid = sealed?.zxid ?? -1n;
  const end = reachedZxid !== null && reachedZxid > sealedZxid ? reachedZxid : sealedZxid;
  // Apache's server writes zeros if it had no txn since its start.
  if (end < named) return null;
  // It also writes its end on another thread, while the effect of one more txn may be in the tree.
  return end + 1n;
}
