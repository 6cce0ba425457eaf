import { parseInteger } from './base/java-number.js';
import { anytimeWord } from './base/word.js';

export interface ParsedTraceMask {
  readonly mask: bigint | undefined;
  readonly text: string;
}

export function parseTraceMask(text: string): ParsedTraceMask {
  return { mask: parseInteger(text), text: text.trim() };
}

export const gtmk = anytimeWord<ParsedTraceMask>({
  word: 'gtmk',
  summary: 'Print the trace mask as a decimal number',
  render: (view) => String(view.traceMask),
  parse: parseTraceMask,
});
