import { anytimeWord } from './base/word.js';

export interface ParsedRuok {
  /** The process answers, with or without a quorum. */
  readonly isOk: boolean;
  readonly text: string;
}

export const ruok = anytimeWord<ParsedRuok>({
  word: 'ruok',
  summary: 'Check that the process answers (imok does not prove a quorum)',
  render: () => 'imok',
  parse: (text) => ({ isOk: text.trim() === 'imok', text: text.trim() }),
});
