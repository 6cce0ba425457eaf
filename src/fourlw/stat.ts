import { servingWord } from './base/word.js';
import { type ParsedServer, parseServer, serverPieces } from './srvr.js';

export const stat = servingWord<ParsedServer>({
  word: 'stat',
  summary: 'Print the same as srvr, and the connected clients',
  pieces: (view) => serverPieces(view, 'with clients'),
  parse: parseServer,
});
