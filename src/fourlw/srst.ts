import { servingWord } from './base/word.js';

export interface ParsedReset {
  readonly isDone: boolean;
  readonly text: string;
}

export function parseReset(text: string): ParsedReset {
  return { isDone: /stats reset\.\s*$/.test(text), text: text.trim() };
}

export const srst = servingWord<ParsedReset>({
  word: 'srst',
  summary: 'Reset the statistics of the server: latency, packets, counters, and summaries',
  render: (view) => {
    view.resetServerStats();
    return 'Server stats reset.\n';
  },
  parse: parseReset,
});
