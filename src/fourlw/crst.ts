import { type ParsedReset, parseReset } from './srst.js';
import { servingWord } from './word.js';

export const crst = servingWord<ParsedReset>({
  word: 'crst',
  summary: 'Reset the statistics of every connection',
  render: (view) => {
    view.resetConnectionStats();
    return 'Connection stats reset.\n';
  },
  parse: parseReset,
});
