import { anytimeWord } from './word.js';

export interface ParsedRuok {
  /** The process answers, with or without a quorum. */
  readonly isOk: boolean;
  readonly text: string;
}

export const ruok = anytimeWord<ParsedRuok>({
  word: 'ruok',
  summary: 'whether the process answers (imok, with or without a quorum)',
  render: () => 'imok',
  parse: (text) => ({ isOk: text.trim() === 'imok', text: text.trim() }),
});
