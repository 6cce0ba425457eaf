import type { Txn } from '../../files/txn.js';
import { InputArchive } from '../../jute/input-archive.js';
import { JuteError } from '../../jute/jute-error.js';
import { ustring } from '../../jute/record.js';
import { FIRST_KEEPER_OP, KeeperOpCode } from '../../protocol/keeper-dialect.js';
import { OpCode } from '../../protocol/op-code.js';
import { readOps } from './read-ops.js';

export interface KeeperPart {
  readonly type: number;
  readonly path: string;
}

/** The parts of a request with operations of the dialect; null for any other request. */
export function keeperParts(type: number, input: InputArchive): readonly KeeperPart[] | null {
  const body = new InputArchive(input.bytes, input.at, input.end);
  const ops = type === OpCode.multi ? (readOps(body) ?? []) : [{ type, body }];
  if (ops.every((op) => op.type < FIRST_KEEPER_OP)) return null;
  try {
    return ops.map((op) => ({ type: op.type, path: ustring.read(op.body) }));
  } catch (error) {
    if (error instanceof JuteError) return null;
    throw error;
  }
}

/** Whether a txn can be that of a request of the dialect: KeeperOps. */
export function isTxnOf(type: number, txn: Txn): boolean {
  if (txn.type === OpCode.multi) return type >= FIRST_KEEPER_OP;
  if (txn.type === OpCode.create) return type === KeeperOpCode.createIfNotExists;
  return txn.type === OpCode.delete && type === KeeperOpCode.tryRemove;
}

/** Only a recursive removal has several txns: KeeperOps. @param part undefined for any other */
export function isLastOf(part: KeeperPart | undefined, txn: Txn): boolean {
  if (part?.type !== KeeperOpCode.removeRecursive || txn.type !== OpCode.delete) return true;
  return txn.path === part.path;
}
