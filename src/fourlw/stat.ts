import { servingWord } from './base/word.js';
import { type ParsedServer, parseServer, renderServer } from './srvr.js';

export const stat = servingWord<ParsedServer>({
  word: 'stat',
  summary: 'Print the same as srvr, and the connected clients',
  render: (view) => renderServer(view, 'with clients'),
  parse: parseServer,
});
