/**
 * The phrases that CONTRIBUTING.md, "Plain words", forbids, each with the words to use instead.
 */
import type { Complaint } from './source-file.js';

const PHRASES: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\bwhat (?:is|are|was|were)\b(?! wrong with)/gi, 'name the thing'],
  [/\bwhoever\b/gi, 'name the actor'],
  [/\b(?:is|are|was|were|be|being) told\b/gi, 'report, notify, send, say who does it'],
  [/\b(?:is|are|was|were) none\b/gi, '"is not a X", "has no X", "invalid X"'],
  [/\b(?:is|are|was|were) no\b(?! (?:longer|more than|less than|such|need)\b)/gi, '"is not a X"'],
  [/\botherwise than\b/gi, '"differs from"'],
  [/\bso many\b(?! that\b)/gi, '"N", "that many", or the number'],
  [/\bthat there (?:is|are)\b/gi, '"that exists", or nothing'],
  [/\bgoes on\b/gi, '"continues"'],
  [/\bwhat (?:came|comes|follows|stands|lies)\b/gi, 'name the thing'],
  [/\bcolour|\bbehaviour|\bneighbour|\bdialled\b|\bhonour|\bgrey\b/gi, 'American spelling'],
];

/**
 * Joins comments and wrapped strings into one line each, so that a phrase is found across lines.
 */
function joinLines(text: string): string {
  return text.replace(/\n[ \t]*(?:\*(?!\/)|\/\/|\.(?!\w))?[ \t]*/g, ' ');
}

/** One complaint per phrase, with the words around it. */
export function checkWords(path: string, text: string): Complaint[] {
  const joined = joinLines(text);
  return PHRASES.flatMap(([pattern, instead]) =>
    [...joined.matchAll(pattern)].map(({ 0: phrase, index }) => {
      const around = joined.slice(Math.max(index - 30, 0), index + phrase.length + 20).trim();
      return `${path}: "${phrase}" in "${around}": write ${instead}`;
    }),
  );
}
