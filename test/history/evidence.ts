/** What reads tell of writes whose answer was lost: a value that only one wrote was written. */
import { isWrite, type Operation, partsOf } from './operations.js';

export interface Evidence {
  /** By when it had taken effect. */
  readonly end: number;
  readonly zxid: bigint | undefined;
}

export function findEvidence(operations: readonly Operation[]): ReadonlyMap<Operation, Evidence> {
  const writers = findWriters(operations);
  const evidence = new Map<Operation, Evidence>();
  for (const { name, outcome, args, result, end } of operations) {
    if (name !== 'getData' || outcome !== 'ok' || typeof result.data !== 'string') continue;
    const writer = writers.get(`${args.path} ${result.data}`);
    if (writer?.outcome !== 'unknown' || writer.start >= end) continue;
    const known = evidence.get(writer);
    if (known !== undefined && known.end <= end) continue;
    evidence.set(writer, { end, zxid: result.stat?.mzxid });
  }
  return evidence;
}

/** By path and value; null where there is more than one. */
function findWriters(operations: readonly Operation[]): Map<string, Operation | null> {
  const writers = new Map<string, Operation | null>();
  for (const operation of operations) {
    if (!isWrite(operation) || operation.outcome === 'fail') continue;
    for (const { op, path = '/', data } of partsOf(operation)) {
      if (op === 'delete' || op === 'check' || typeof data !== 'string') continue;
      const key = `${path} ${data}`;
      writers.set(key, writers.has(key) ? null : operation);
    }
  }
  return writers;
}
