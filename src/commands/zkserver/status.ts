import { formatServerAddress } from '../../client/base/connect-string.js';
import { askWord } from '../../client/base/four-letter.js';
import { ExitCode } from '../program/exit-status.js';
import { clientAddressesOf, targetOf } from './target.js';
import { type ServerVerb, said, TARGET_ARGS, verbError } from './verb.js';

const TIMEOUT_MS = 5000;

export const status: ServerVerb = {
  name: 'status',
  summary: 'Print the role of the server: standalone, leader, follower, or observer',
  args: TARGET_ARGS,
  options: {},
  run: async (args) => {
    const { plain: address } = await clientAddressesOf(targetOf(args));
    if (address === null) {
      const message = 'status does not support TLS, and this server has no clientPort; use';
      throw verbError(ExitCode.failed, `${message} zkops srvr --config`);
    }
    const place = formatServerAddress(address);
    const timeouts = { connectTimeoutMs: TIMEOUT_MS, readTimeoutMs: TIMEOUT_MS };
    const answer = await askWord(address, 'srvr', timeouts).catch((error: Error) => {
      const message = `${place}: no answer: ${error.message}`;
      throw verbError(ExitCode.failed, message);
    });
    const text = answer.toString();
    const mode = /^Mode: .*$/m.exec(text)?.[0];
    if (mode === undefined) {
      throw verbError(ExitCode.failed, `${place}: not serving: ${text.trim()}`);
    }
    return said(mode);
  },
};
