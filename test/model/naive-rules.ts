/** What the naive prep knows of requests, versions, and names. */

import type { Txn } from '../../src/files/txn.js';
import { ErrorCode } from '../../src/protocol/error-code.js';
import { KeeperOpCode } from '../../src/protocol/keeper-dialect.js';
import { OpCode } from '../../src/protocol/op-code.js';
import type { Op, PartOp } from './operations.js';

/** Within a multi, a create without a TTL needs a mode without one. */
export function isUnreadable(op: PartOp): boolean {
  return 'flags' in op && op.type !== OpCode.createTTL && (op.flags < 0 || op.flags > 4);
}

/** Within a multi, the mode of a container or of a TTL comes before the type. */
export function asPart(op: PartOp): PartOp {
  if (!('flags' in op)) return op;
  if (op.type === KeeperOpCode.createIfNotExists) return op;
  if (op.flags === 4) return { ...op, type: OpCode.createContainer };
  const isPlain = op.type === OpCode.createTTL && (op.flags < 5 || op.flags > 6);
  return isPlain ? { ...op, type: OpCode.create } : op;
}

export function failed(count: number, at: number, err: ErrorCode): Txn[] {
  return Array.from({ length: count }, (_, i) => ({
    type: OpCode.error,
    err: i < at ? ErrorCode.OK : i === at ? err : ErrorCode.RUNTIMEINCONSISTENCY,
  }));
}

export function isValid(path: string): boolean {
  if (path === '/') return true;
  if (!path.startsWith('/') || path.endsWith('/')) return false;
  return path
    .slice(1)
    .split('/')
    .every((name) => name !== '' && name !== '.' && name !== '..');
}

/** Java's "%010d". */
export function suffixOf(cversion: number): string {
  const digits = String(Math.abs(cversion));
  return cversion < 0 ? `-${digits.padStart(9, '0')}` : digits.padStart(10, '0');
}

/** -1 would mean any version in a request, so 0 follows -2. */
export function versionAfter(version: number): number {
  const next = (version + 1) | 0;
  return next === -1 ? 0 : next;
}

/** A recursive removal may delete siblings in any order. */
export function siblingsInOrder(txn: Txn, op: Op | undefined): Txn {
  if (txn.type !== OpCode.multi || op === undefined || !hasRemoval(op)) return txn;
  const left = [...txn.txns];
  const txns: Txn[] = [];
  while (left.length > 0) {
    const depth = depthOf(left[0]);
    const end = left.findIndex((part) => depth === 0 || depthOf(part) !== depth);
    const siblings = left.splice(0, Math.max(1, end < 0 ? left.length : end));
    txns.push(...siblings.sort((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1)));
  }
  return { ...txn, txns };
}

function hasRemoval(op: Op): boolean {
  if (op.type === OpCode.multi) return op.ops.some(hasRemoval);
  return op.type === KeeperOpCode.removeRecursive;
}

/** Of the path of a delete; 0 for any other txn. */
function depthOf(txn: Txn | undefined): number {
  return txn?.type === OpCode.delete ? txn.path.split('/').length : 0;
}

function pathOf(txn: Txn): string {
  return 'path' in txn ? txn.path : '';
}
