import { basename } from 'node:path';
import { parseSnapshotName } from '../../files/file-names.js';
import { formatZxid } from '../../protocol/zxid.js';
import type { Problem } from '../ensemble/verdict/result.js';
import type { SnapshotOutcome } from './read-snapshot.js';

export function snapshotProblems(path: string, outcome: SnapshotOutcome): Problem[] {
  const { fault } = outcome;
  if (fault !== undefined) {
    const text = `${path}: damaged at offset ${fault.offset}: ${hint(fault.reason)}`;
    return [{ level: 'critical', code: 'damaged-snapshot', text }];
  }
  const found = digestText(outcome.digest);
  if (digestOf(path, outcome) !== 'differs') return [];
  const expected = digestText(outcome.storedDigest?.digest ?? 0n);
  const text = `${path}: the digest of its tree is ${found} (expected ${expected}): the tree differs from that of its server`;
  return [{ level: 'critical', code: 'wrong-digest', text }];
}

/** The name is right, but the content is another kind of file. */
function hint(reason: string): string {
  return reason.includes('magic: 5a4b4c47')
    ? `${reason}: this is a transaction log, for zkops log`
    : reason;
}

/** Unsigned, as `hash` prints digests. */
export function digestText(digest: bigint): string {
  return BigInt.asUintN(64, digest).toString();
}

/**
 * A snapshot that is written during txns shows no real tree. Two signs prove it: its digest belongs
 * to a later txn than its name, or a znode names a later txn than the digest. Apache's server makes
 * the second kind if it writes the digest between the change of a znode and the count of its digest
 * (DataTree.processTxn, logZxidDigest).
 */
export function digestOf(
  path: string,
  { storedDigest, digest, newestZxid, fault }: SnapshotOutcome,
): 'fits' | 'differs' | 'fuzzy' | 'none' {
  if (fault !== undefined || storedDigest === undefined || storedDigest.digest === null)
    return 'none';
  // A server writes zeros if it had no txn since its start.
  if (storedDigest.zxid === 0n && storedDigest.digest === 0n) return 'none';
  if (storedDigest.digest === digest) return 'fits';
  const named = parseSnapshotName(basename(path))?.zxid;
  const isFuzzy = named !== storedDigest.zxid || newestZxid > storedDigest.zxid;
  return isFuzzy ? 'fuzzy' : 'differs';
}

export function zxidOfName(path: string): string | undefined {
  const zxid = parseSnapshotName(basename(path))?.zxid;
  return zxid === undefined ? undefined : formatZxid(zxid);
}
