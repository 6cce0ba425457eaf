import { formatZxid } from '../../../protocol/zxid.js';
import { STATE } from '../../ensemble/columns.js';
import { parsedOf } from '../../ensemble/member.js';
import type { OpsVerb } from '../../ensemble/verb.js';

export const hash: OpsVerb = {
  name: 'hash',
  summary: 'Show the tree digests of every member, one every 128 txns',
  words: ['hash'],
  judge: 'answers',
  columns: [
    STATE,
    { key: 'digests', rank: 1, value: (member) => parsedOf(member, 'hash')?.digests.length },
    {
      key: 'last_zxid',
      rank: 1,
      value: (member) => {
        const last = parsedOf(member, 'hash')?.digests.at(-1);
        return last && formatZxid(last.zxid);
      },
    },
    {
      key: 'last_digest',
      rank: 1,
      // As text, because it is an id.
      value: (member) => parsedOf(member, 'hash')?.digests.at(-1)?.digest.toString(),
    },
  ],
  details: {
    keys: ['zxid', 'digest'],
    rows: (member) =>
      (parsedOf(member, 'hash')?.digests ?? []).map(({ zxid, digest }) => [
        formatZxid(zxid),
        digest.toString(),
      ]),
  },
  data: (member) => ({
    digests: parsedOf(member, 'hash')?.digests.map(({ zxid, digest }) => ({
      zxid: formatZxid(zxid),
      digest: digest.toString(),
    })),
  }),
};
