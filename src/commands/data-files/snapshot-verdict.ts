import { basename } from 'node:path';
import { formatZxid } from '../../protocol/zxid.js';
import { parseSnapshotName } from '../../server/persistence/file-names.js';
import type { Problem } from '../ensemble/verdict/result.js';
import type { SnapshotOutcome } from './read-snapshot.js';

/** What is wrong with a snapshot that was read through; nothing when it is whole. */
export function snapshotProblems(path: string, outcome: SnapshotOutcome): Problem[] {
  const { fault } = outcome;
  if (fault !== undefined) {
    const text = `${path}: damaged at offset ${fault.offset}: ${hint(fault.reason)}`;
    return [{ level: 'critical', code: 'damaged-snapshot', text }];
  }
  const found = digestText(outcome.digest);
  if (digestOf(path, outcome) !== 'differs') return [];
  const told = digestText(outcome.told?.digest ?? 0n);
  const text = `${path}: the digest of its tree is ${found}, but it says ${told}: it is not the tree that its server had`;
  return [{ level: 'critical', code: 'wrong-digest', text }];
}

/** A name that looks right and bytes of another kind: say which. */
function hint(reason: string): string {
  return reason.includes('found 5a4b4c47')
    ? `${reason}: this is a transaction log, for zkops log`
    : reason;
}

/** Unsigned, as `hash` prints digests. */
export function digestText(digest: bigint): string {
  return BigInt.asUintN(64, digest).toString();
}

/**
 * Does the digest of the tree fit the one the file tells? A snapshot that was written while txns
 * went on is no tree that ever was, and the file says which zxid its digest belongs to.
 */
export function digestOf(
  path: string,
  { told, digest, fault }: SnapshotOutcome,
): 'fits' | 'differs' | 'fuzzy' | 'none' {
  if (fault !== undefined || told === undefined || told.digest === null) return 'none';
  // A server that has not applied a txn since its start writes zeros.
  if (told.zxid === 0n && told.digest === 0n) return 'none';
  if (told.digest === digest) return 'fits';
  const named = parseSnapshotName(basename(path))?.zxid;
  return named === told.zxid ? 'differs' : 'fuzzy';
}

export function zxidOfName(path: string): string | undefined {
  const zxid = parseSnapshotName(basename(path))?.zxid;
  return zxid === undefined ? undefined : formatZxid(zxid);
}
