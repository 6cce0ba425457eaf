import { usageError } from '../program/command-error.js';

export const COMPLETION_SHELLS = ['bash', 'zsh', 'fish'] as const;
export type CompletionShell = (typeof COMPLETION_SHELLS)[number];

/** @throws CommandError USAGE for another shell, or several words */
export function completionShell(words: readonly string[]): CompletionShell {
  const [word = '', ...rest] = words;
  const shell = COMPLETION_SHELLS.find((name) => name === word);
  if (shell !== undefined && rest.length === 0) return shell;
  const expected = '(expected bash, zsh, or fish)';
  throw usageError(`completion: unknown shell: "${words.join(' ')}" ${expected}`);
}
