import { OpCode } from '../../protocol/op-code.js';

/** The letters that `cons` prints as `lop` (FinalRequestProcessor's lastOp). */
const NAMES: ReadonlyMap<number, string> = new Map<number, string>([
  [OpCode.ping, 'PING'],
  [OpCode.createSession, 'SESS'],
  [OpCode.closeSession, 'CLOS'],
  [OpCode.create, 'CREA'],
  [OpCode.create2, 'CREA'],
  [OpCode.createContainer, 'CREA'],
  [OpCode.createTTL, 'CREA'],
  [OpCode.delete, 'DELE'],
  [OpCode.exists, 'EXIS'],
  [OpCode.getData, 'GETD'],
  [OpCode.setData, 'SETD'],
  [OpCode.getACL, 'GETA'],
  [OpCode.setACL, 'SETA'],
  [OpCode.getChildren, 'GETC'],
  [OpCode.getChildren2, 'GETC'],
  [OpCode.getAllChildrenNumber, 'GETACN'],
  [OpCode.sync, 'SYNC'],
  [OpCode.multi, 'MULT'],
  [OpCode.multiRead, 'MLTR'],
  [OpCode.check, 'CHEC'],
  [OpCode.reconfig, 'RECO'],
  [OpCode.setWatches, 'SETW'],
  [OpCode.setWatches2, 'STW2'],
  [OpCode.addWatch, 'ADDW'],
  [OpCode.checkWatches, 'CHKW'],
  [OpCode.removeWatches, 'REMW'],
  [OpCode.getEphemerals, 'GETE'],
  [OpCode.whoAmI, 'HOMI'],
]);

export function lastOperationName(type: number): string {
  return NAMES.get(type) ?? 'NA';
}
