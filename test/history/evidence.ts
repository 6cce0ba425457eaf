/** Evidence of writes in reads: a read of a value that only one write has proves that write. */
import { isWrite, type Operation, partsOf } from './operations.js';

export interface Evidence {
  /** The latest time when the write took effect. */
  readonly end: number;
  readonly zxid: bigint | undefined;
  /** The resulting versions, by `keyOf` of the written value. */
  readonly versions: ReadonlyMap<string, number>;
}

/** Names a value of a znode. */
export function keyOf(path: string, data: string | null): string {
  return `${path} ${data}`;
}

export function findEvidence(operations: readonly Operation[]): ReadonlyMap<Operation, Evidence> {
  const writers = findWriters(operations);
  const evidence = new Map<Operation, Evidence>();
  for (const { name, outcome, args, result, end } of operations) {
    if (name !== 'getData' || outcome !== 'ok' || typeof result.data !== 'string') continue;
    const key = keyOf(args.path ?? '/', result.data);
    const writer = writers.get(key);
    if (writer == null || writer.start >= end) continue;
    const known = evidence.get(writer);
    const versions = new Map(known?.versions);
    const { version, mzxid } = result.stat ?? {};
    if (version !== undefined && !versions.has(key)) versions.set(key, version);
    evidence.set(writer, {
      end: Math.min(end, known?.end ?? Infinity),
      zxid: known?.zxid ?? mzxid,
      versions,
    });
  }
  return evidence;
}

/** By path and value; null if several writes have the value. */
function findWriters(operations: readonly Operation[]): Map<string, Operation | null> {
  const writers = new Map<string, Operation | null>();
  for (const operation of operations) {
    if (!isWrite(operation) || operation.outcome === 'fail') continue;
    for (const { op, path = '/', data } of partsOf(operation)) {
      if (op === 'delete' || op === 'check' || typeof data !== 'string') continue;
      const key = keyOf(path, data);
      writers.set(key, writers.has(key) ? null : operation);
    }
  }
  return writers;
}
