import { STATE, TOOK } from '../../ensemble/columns.js';
import { parsedOf } from '../../ensemble/member.js';
import type { OpsVerb } from '../../ensemble/verb.js';

export const ruok: OpsVerb = {
  name: 'ruok',
  summary: 'Check that every process answers (imok does not prove a quorum)',
  words: ['ruok'],
  judge: 'answers',
  columns: [
    STATE,
    { key: 'answer', rank: 1, value: (member) => parsedOf(member, 'ruok')?.text },
    TOOK,
  ],
  data: (member) => ({ answer: parsedOf(member, 'ruok')?.text }),
};
