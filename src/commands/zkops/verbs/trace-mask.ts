import { STATE } from '../../ensemble/columns.js';
import { parsedOf } from '../../ensemble/member.js';
import type { OpsVerb } from '../../ensemble/verb.js';
import type { ArgumentSpecs } from '../../machine/declaration.js';

const MASK: ArgumentSpecs = { mask: { kind: 'text', summary: 'a 64-bit integer' } };

function maskVerb(word: 'gtmk' | 'stmk', summary: string): OpsVerb {
  return {
    name: word,
    summary,
    words: [word],
    judge: 'answers',
    ...(word === 'stmk' ? { isReset: true, args: MASK } : {}),
    columns: [STATE, { key: 'mask', rank: 1, value: (member) => parsedOf(member, word)?.mask }],
    data: (member) => ({ mask: parsedOf(member, word)?.mask?.toString() }),
  };
}

export const gtmk = maskVerb('gtmk', 'Show the trace mask of every member');
export const stmk = maskVerb('stmk', 'Set the trace mask of every member to MASK (requires --yes)');
