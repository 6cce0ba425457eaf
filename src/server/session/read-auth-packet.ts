import type { InputArchive } from '../../jute/input-archive.js';
import { JuteError } from '../../jute/jute-error.js';
import { AuthPacket } from '../../protocol/proto.js';

/**
 * Undefined when it is malformed. It may come behind a connect frame and be read in the middle of a
 * commit: nobody there could tell a client's fault from one of the server.
 */
export function readAuthPacket(input: InputArchive): AuthPacket | undefined {
  try {
    return AuthPacket.read(input);
  } catch (error) {
    if (!(error instanceof JuteError)) throw error;
    return undefined;
  }
}
