import { start } from './start.js';
import { stop } from './stop.js';
import { targetOf } from './target.js';
import type { ServerVerb } from './verb.js';

export const restart: ServerVerb = {
  name: 'restart',
  usage: 'restart ZOO.CFG|PORT DATADIR [-D name=value]...',
  summary: 'stop, then start',
  options: {},
  run: async (args, io) => {
    // A zoo.cfg that start would refuse must not cost the server that runs.
    targetOf(args, 'restart');
    const code = await stop.run(args, io);
    return code === 0 ? start.run(args, io) : code;
  },
};
