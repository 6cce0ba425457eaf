/** A broken invariant. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

export function hex(zxid: bigint): string {
  return `0x${zxid.toString(16)}`;
}
