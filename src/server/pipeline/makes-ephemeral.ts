import { InputArchive } from '../../jute/input-archive.js';
import { JuteError } from '../../jute/jute-error.js';
import { createModeOf } from '../../protocol/create-mode.js';
import { KeeperOpCode } from '../../protocol/keeper-dialect.js';
import { OpCode } from '../../protocol/op-code.js';
import { CreateRequest } from '../../protocol/proto.js';
import { readOps } from '../prep/read-ops.js';

/** Whether the request creates an ephemeral; false for a damaged one, which prep refuses. */
export function makesEphemeral(type: number, { bytes, at, end }: InputArchive): boolean {
  const input = new InputArchive(bytes, at, end);
  if (isCreate(type)) return isEphemeral(input);
  if (type !== OpCode.multi) return false;
  const ops = readOps(input) ?? [];
  return ops.some(({ type, body }) => isCreate(type) && isEphemeral(body));
}

function isCreate(type: number): boolean {
  const { create, create2 } = OpCode;
  return type === create || type === create2 || type === KeeperOpCode.createIfNotExists;
}

function isEphemeral(input: InputArchive): boolean {
  try {
    return createModeOf(CreateRequest.read(input).flags)?.isEphemeral === true;
  } catch (error) {
    if (error instanceof JuteError) return false;
    throw error;
  }
}
