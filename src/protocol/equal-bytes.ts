/**
 * Compares in constant time, so that timing reveals nothing about a secret. The lengths are not
 * secret. The core cannot use `node:crypto`.
 */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= (a[i] ?? 0) ^ (b[i] ?? 0);
  return difference === 0;
}

/** The same for strings. */
export function equalTexts(a: string, b: string): boolean {
  return equalBytes(Buffer.from(a, 'utf8'), Buffer.from(b, 'utf8'));
}
