import { nextBoundary } from '../../commands/terminal/text-width.js';
import type { LineAction, LineState } from './line-editor.js';

/** The rest of the latest history line with this prefix; "" without one. */
export function suggestionFor(
  { text, cursor, search }: LineState,
  history: readonly string[],
): string {
  if (text === '' || cursor !== text.length || search !== undefined) return '';
  const found = history.findLast((entry) => entry.length > text.length && entry.startsWith(text));
  // Only its first row, so that a suggestion needs no further rows.
  return found?.slice(text.length).split('\n', 1)[0] ?? '';
}

/** A move right at the end of the line accepts the suggestion. */
export function acceptSuggestion(ghost: string, action: LineAction): LineAction | undefined {
  if (ghost === '') return undefined;
  if (action.type === 'right' || action.type === 'line-end') return { type: 'insert', text: ghost };
  if (action.type !== 'word-right') return undefined;
  const word = /^\W*\w+/u.exec(ghost)?.[0].length ?? nextBoundary(ghost, 0);
  return { type: 'insert', text: ghost.slice(0, word) };
}
