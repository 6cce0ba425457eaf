import { InputArchive } from '../../jute/input-archive.js';
import { ustring } from '../../jute/record.js';
import { FIRST_KEEPER_OP } from '../../protocol/keeper-dialect.js';
import { OpCode } from '../../protocol/op-code.js';
import { readOps } from './read-ops.js';

export interface MultiPart {
  readonly type: number;
  readonly path: string;
}

/** The parts of a multi that has operations of the dialect; null for any other request. */
export function dialectParts(type: number, input: InputArchive): readonly MultiPart[] | null {
  if (type !== OpCode.multi) return null;
  const ops = readOps(new InputArchive(input.bytes, input.at, input.end)) ?? [];
  if (ops.every((op) => op.type < FIRST_KEEPER_OP)) return null;
  return ops.map((op) => ({ type: op.type, path: ustring.read(op.body) }));
}
