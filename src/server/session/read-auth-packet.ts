import type { InputArchive } from '../../jute/input-archive.js';
import { JuteError } from '../../jute/jute-error.js';
import { AuthPacket } from '../../protocol/proto.js';

/**
 * Undefined for a malformed packet. It may be read during a commit, where an exception would look
 * like a fault of the server.
 */
export function readAuthPacket(input: InputArchive): AuthPacket | undefined {
  try {
    return AuthPacket.read(input);
  } catch (error) {
    if (!(error instanceof JuteError)) throw error;
    return undefined;
  }
}
