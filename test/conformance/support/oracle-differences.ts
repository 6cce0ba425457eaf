import { OpCode } from '../../../src/protocol/op-code.js';
import { WRITES } from '../../../src/protocol/operation-table.js';
import { isOracle39 } from '../../support/apache/oracle.js';
import type { Op } from './world.js';

/**
 * A create as 3.8 and 3.9 read it within a multi: 3.8 answers create2 and createContainer as the
 * mode says, accepts an invalid mode, and fails on a TTL mode without a TTL
 * (differential-kept.test.ts).
 */
export function asIn38(op: Op): Op {
  if (op.type === OpCode.createTTL) return op;
  const flags = Number(op.value?.['flags']);
  const isKept = flags >= 0 && flags <= 4;
  return { ...op, type: OpCode.create, value: { ...op.value, flags: isKept ? flags : 0 } };
}

/**
 * Apache's server gives these no zxid if it cannot decode them: a reconfig, and since 3.9 any write
 * but a multi (differential-kept.test.ts).
 */
export function takesNoZxid({ type }: Op): boolean {
  if (type === OpCode.reconfig) return true;
  return isOracle39 && WRITES.has(type) && type !== OpCode.multi;
}
