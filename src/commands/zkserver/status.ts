import { askWord } from '../../client/four-letter.js';
import { reachableHost, type Target, targetOf } from './target.js';
import { Exit, type ServerVerb, TARGET_ARGS, VerbError } from './verb.js';

const TIMEOUT_MS = 5000;

export const status: ServerVerb = {
  name: 'status',
  summary: 'ask the server what it is: standalone, leader, follower, observer',
  args: TARGET_ARGS,
  options: [],
  run: async (args, io) => {
    const target = targetOf(args);
    const port = await portOf(target);
    if (port === null) {
      const message =
        'zkserver: status asks without TLS, and this server has no clientPort: ask it with';
      throw new VerbError(Exit.FAILED, `${message} zkops srvr --config`);
    }
    const address = { host: reachableHost(target.host), port };
    const place = `${address.host}:${address.port}`;
    const timeouts = { connectTimeoutMs: TIMEOUT_MS, readTimeoutMs: TIMEOUT_MS };
    const answer = await askWord(address, 'srvr', timeouts).catch((error: Error) => {
      const message = `zkserver: no server answers on ${place}: ${error.message}`;
      throw new VerbError(Exit.FAILED, message);
    });
    const text = answer.toString();
    const mode = /^Mode: .*$/m.exec(text)?.[0];
    if (mode === undefined) {
      throw new VerbError(Exit.FAILED, `zkserver: ${place} does not serve: ${text.trim()}`);
    }
    io.writeOut(`${mode}\n`);
    return Exit.OK;
  },
};

/** The line server.N of this server may say where its clients connect. */
async function portOf({ config, configFile, dataDir, port }: Target): Promise<number | null> {
  const { readOwnLine } = await import('../../server/main.js');
  const own = await readOwnLine(config, dataDir, configFile ?? 'zoo.cfg');
  return own?.clientPort ?? port;
}
