import { type ParsedServer, parseServer, renderServer } from './srvr.js';
import { servingWord } from './word.js';

export const stat = servingWord<ParsedServer>({
  word: 'stat',
  summary: 'what srvr tells, and the clients connected',
  render: (view) => renderServer(view, 'with clients'),
  parse: parseServer,
});
