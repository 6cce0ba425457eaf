import { nearestWord } from '../../protocol/nearest-word.js';

/** The candidate within one or two typing errors of `word`, or with that prefix. */
export function suggestWord(word: string, candidates: readonly string[]): string | undefined {
  const most = Math.max(1, Math.min(2, Math.floor(word.length / 2)));
  const best = nearestWord(word, candidates, most);
  const lower = word.toLowerCase();
  if (best !== undefined || lower.length < 2) return best;
  return candidates.find((candidate) => candidate.toLowerCase().startsWith(lower));
}
