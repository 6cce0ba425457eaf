import { InputArchive } from '../../jute/input-archive.js';
import { JuteError } from '../../jute/jute-error.js';
import { createModeOf } from '../../protocol/create-mode.js';
import { OpCode } from '../../protocol/op-code.js';
import { CreateRequest } from '../../protocol/proto.js';
import { readOps } from '../prep/read-ops.js';

/** Whether the request creates an ephemeral; false for a damaged one, which prep refuses. */
export function makesEphemeral(type: number, { bytes, at, end }: InputArchive): boolean {
  const input = new InputArchive(bytes, at, end);
  if (type === OpCode.create || type === OpCode.create2) return isEphemeral(input);
  if (type !== OpCode.multi) return false;
  const ops = readOps(input) ?? [];
  return ops.some(({ type, body }) => {
    const isCreate = type === OpCode.create || type === OpCode.create2;
    return isCreate && isEphemeral(body);
  });
}

function isEphemeral(input: InputArchive): boolean {
  try {
    return createModeOf(CreateRequest.read(input).flags)?.isEphemeral === true;
  } catch (error) {
    if (error instanceof JuteError) return false;
    throw error;
  }
}
