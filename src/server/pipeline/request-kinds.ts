import { OpCode } from '../../protocol/op-code.js';

/** Requests that become a txn. */
export const WRITES: ReadonlySet<number> = new Set([
  OpCode.create,
  OpCode.create2,
  OpCode.createContainer,
  OpCode.createTTL,
  OpCode.delete,
  OpCode.setData,
  OpCode.setACL,
  OpCode.multi,
  OpCode.reconfig,
]);

/** Requests that the applied tree answers. */
export const READS: ReadonlySet<number> = new Set([
  OpCode.exists,
  OpCode.getData,
  OpCode.getACL,
  OpCode.getChildren,
  OpCode.getChildren2,
  OpCode.ping,
  OpCode.sync,
  OpCode.getAllChildrenNumber,
  OpCode.getEphemerals,
  OpCode.whoAmI,
  OpCode.addWatch,
  OpCode.checkWatches,
  OpCode.removeWatches,
  OpCode.setWatches,
  OpCode.setWatches2,
  OpCode.multiRead,
]);
