/** Java's String.hashCode, spread as ConcurrentHashMap does: h ^ (h >>> 16). */
function spreadHash(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at += 1)
    hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return hash ^ (hash >>> 16);
}

/**
 * Orders entries as Java's ConcurrentHashMap iterates over them: by bucket, in a table of 16 that
 * doubles when it is three quarters full. Keys of one bucket keep their order of arrival.
 */
export function inJavaMapOrder<Value>(map: ReadonlyMap<string, Value>): [string, Value][] {
  let buckets = 16;
  while (map.size >= buckets * 0.75) buckets *= 2;
  const bucketOf = (key: string) => spreadHash(key) & (buckets - 1);
  return [...map].sort(([a], [b]) => bucketOf(a) - bucketOf(b));
}
