import { servingWord } from './base/word.js';

export interface ParsedIsro {
  /** `null` means not serving; undefined is an unknown answer. */
  readonly state: 'rw' | 'ro' | 'null' | undefined;
  readonly text: string;
}

export const isro = servingWord<ParsedIsro>({
  word: 'isro',
  summary: 'Print rw (read-write), ro (read-only), or null (not serving)',
  notServing: 'null',
  render: (view) => (view.isReadOnly ? 'ro' : 'rw'),
  parse: (text) => {
    const state = text.trim();
    const isKnown = state === 'rw' || state === 'ro' || state === 'null';
    return { state: isKnown ? state : undefined, text: state };
  },
});
