import { servingWord } from './base/word.js';
import { type ParsedReset, parseReset } from './srst.js';

export const crst = servingWord<ParsedReset>({
  word: 'crst',
  summary: 'Reset the statistics of every connection',
  render: (view) => {
    view.resetConnectionStats();
    return 'Connection stats reset.\n';
  },
  parse: parseReset,
});
