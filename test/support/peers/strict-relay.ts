import { DEFAULT_MAX_BUFFER } from '../../../src/client/session/request.js';
import { type Relay, startRelay } from './relay.js';

/** A server as Apache's: it closes a connection at a request above jute.maxbuffer. */
export function startStrictRelay(port: number): Promise<Relay> {
  return startRelay(port, () => {
    let received = 0;
    return (chunk, forward, client) => {
      received += chunk.length;
      if (received > DEFAULT_MAX_BUFFER) client.destroy();
      else forward(chunk);
    };
  });
}
