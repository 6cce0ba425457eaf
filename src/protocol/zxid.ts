/** epoch << 32 | counter, as a bigint where all 64 bits matter. */
export type Zxid = bigint;

/** The last epoch: zxids are signed, so a later epoch would sort before all others. */
export const MAX_EPOCH = 0x7fff_ffff;

export function zxidEpoch(zxid: Zxid): number {
  return Number(zxid >> 32n);
}

export function zxidCounter(zxid: Zxid): number {
  return Number(zxid & 0xffff_ffffn);
}

/** Lowercase hex without "0x", as in file names and in `hash`; negative values as 64 bits. */
export function hex64(value: bigint): string {
  return BigInt.asUintN(64, value).toString(16);
}

/** "0x100000008": the format of zxids in four-letter words and in Apache's shell. */
export function formatZxid(zxid: Zxid): string {
  return `0x${hex64(zxid)}`;
}
