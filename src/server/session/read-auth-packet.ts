import type { InputArchive } from '../../jute/input-archive.js';
import { JuteError } from '../../jute/jute-error.js';
import { AuthPacket } from '../../protocol/proto.js';

/** Undefined for a malformed packet: during a commit, an exception would look like a fault. */
export function readAuthPacket(input: InputArchive): AuthPacket | undefined {
  try {
    return AuthPacket.read(input);
  } catch (error) {
    if (!(error instanceof JuteError)) throw error;
    return undefined;
  }
}
