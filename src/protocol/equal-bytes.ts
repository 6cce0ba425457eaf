/** Constant time: timing reveals only the length. `node:crypto` is not allowed here. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= (a[i] ?? 0) ^ (b[i] ?? 0);
  return difference === 0;
}

export function equalTexts(a: string, b: string): boolean {
  return equalBytes(Buffer.from(a, 'utf8'), Buffer.from(b, 'utf8'));
}
