/**
 * Names of the files in `version-2`: `log.<hex>` has its first zxid, `snapshot.<hex>` the last zxid
 * that its tree surely contains (FileTxnSnapLog, Util.getZxidFromName).
 */
import { hex64 } from '../protocol/zxid.js';

export const VERSION_DIR = 'version-2';

export type SnapshotCompression = 'none' | 'gz' | 'snappy';

export interface SnapshotName {
  readonly zxid: bigint;
  readonly compression: SnapshotCompression;
}

export function logFileName(zxid: bigint): string {
  return `log.${hex64(zxid)}`;
}

export function snapshotFileName(zxid: bigint, compression: SnapshotCompression = 'none'): string {
  const name = `snapshot.${hex64(zxid)}`;
  return compression === 'none' ? name : `${name}.${compression}`;
}

export function parseLogName(name: string): bigint | undefined {
  const hex = /^log\.([0-9a-fA-F]{1,16})$/.exec(name)?.[1];
  return hex === undefined ? undefined : parseZxid(hex);
}

export function parseSnapshotName(name: string): SnapshotName | undefined {
  const match = /^snapshot\.([0-9a-fA-F]{1,16})(?:\.(gz|snappy))?$/.exec(name);
  const hex = match?.[1];
  if (hex === undefined) return undefined;
  const compression = match?.[2] === 'gz' ? 'gz' : match?.[2] === 'snappy' ? 'snappy' : 'none';
  return { zxid: parseZxid(hex), compression };
}

function parseZxid(hex: string): bigint {
  return BigInt.asIntN(64, BigInt(`0x${hex}`));
}
