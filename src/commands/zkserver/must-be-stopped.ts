import { connect } from 'node:net';
import type { ServerAddress } from '../../client/base/connect-string.js';
import { SERVER_STATUS } from '../program/exit-status.js';
import { clientAddressesOf, type Target } from './target.js';
import { verbError } from './verb.js';

const CONNECT_MS = 2000;
export const STOP_FIRST = 'stop it first, for example: sudo systemctl stop zkserver';

/**
 * A server that has not written since its start may hold no file open.
 * @throws CommandError while a server listens on a client port of the target
 */
export async function mustBeStopped(target: Target): Promise<void> {
  for (const address of Object.values(await clientAddressesOf(target))) {
    if (address === null || address.port === 0 || !(await isListening(address))) continue;
    throw verbError(
      SERVER_STATUS.dataDir,
      `port ${address.port}: a server listens there (expected a stopped server)`,
      STOP_FIRST,
    );
  }
}

function isListening({ host, port }: ServerAddress): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_MS });
    const end = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });
}
