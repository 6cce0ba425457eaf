export const SHARE_SEED = 0x811c9dc5;
/** With the seed of the shares, all paths of a share would be in one part. */
export const PART_SEED = 0x050c5d1f;

/** From 0 to `shares` - 1 (FNV-1a). */
export function shareOf(path: string, shares: number, seed: number): number {
  if (shares === 1) return 0;
  let hash = seed;
  for (let at = 0; at < path.length; at++) {
    hash = Math.imul(hash ^ path.charCodeAt(at), 0x01000193);
  }
  return (hash >>> 0) % shares;
}
