import { STATE, TOOK } from '../../ensemble/columns.js';
import { parsedOf } from '../../ensemble/member.js';
import type { OpsVerb } from '../../ensemble/verb.js';

export const isro: OpsVerb = {
  name: 'isro',
  summary: 'Show whether every member is read-write (rw) or read-only (ro)',
  words: ['isro'],
  judge: 'answers',
  columns: [
    STATE,
    { key: 'mode', rank: 1, value: (member) => parsedOf(member, 'isro')?.text },
    TOOK,
  ],
  data: (member) => ({ mode: parsedOf(member, 'isro')?.text }),
};
