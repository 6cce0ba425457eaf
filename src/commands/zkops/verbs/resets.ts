import { STATE } from '../../ensemble/columns.js';
import { parsedOf } from '../../ensemble/member.js';
import type { OpsVerb } from '../../ensemble/verb.js';

function resetVerb(word: 'crst' | 'srst', summary: string): OpsVerb {
  return {
    name: word,
    summary,
    words: [word],
    judge: 'answers',
    isReset: true,
    columns: [STATE, { key: 'answer', rank: 1, value: (member) => parsedOf(member, word)?.text }],
    data: (member) => ({ answer: parsedOf(member, word)?.text }),
  };
}

export const crst = resetVerb('crst', 'Reset the statistics of every connection (requires --yes)');
export const srst = resetVerb('srst', 'Reset the statistics of every member (requires --yes)');
