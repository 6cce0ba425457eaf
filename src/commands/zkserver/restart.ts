import { start } from './start.js';
import { stop } from './stop.js';
import { targetOf } from './target.js';
import { printResult, type ServerVerb, TARGET_ARGS } from './verb.js';

export const restart: ServerVerb = {
  name: 'restart',
  summary: 'Stop the server, then start it in the background',
  args: TARGET_ARGS,
  options: {},
  run: async (args, io) => {
    // Check zoo.cfg first, so that an invalid one does not stop the running server.
    targetOf(args);
    await printResult(await stop.run(args, io), io);
    return start.run(args, io);
  },
};
