import { anytimeWord } from './base/word.js';
import { type ParsedTraceMask, parseTraceMask } from './gtmk.js';

export const stmk = anytimeWord<ParsedTraceMask>({
  word: 'stmk',
  summary: 'Set the trace mask to the 8 bytes after the word',
  argumentBytes: 8,
  render: (view, argument) => {
    if (argument === undefined || argument.length < 8) return '';
    const mask = argument.readBigInt64BE(0);
    view.setTraceMask(mask);
    return String(mask);
  },
  parse: parseTraceMask,
});
