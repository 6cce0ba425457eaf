import { STATE } from '../../ensemble/columns.js';
import { shortBytes } from '../../ensemble/format.js';
import { parsedOf } from '../../ensemble/member.js';
import type { OpsVerb } from '../../ensemble/verb.js';

export const dirs: OpsVerb = {
  name: 'dirs',
  summary: 'Show the size of the snapshots and logs of every member',
  words: ['dirs'],
  judge: 'answers',
  columns: [
    STATE,
    {
      title: 'DATA',
      key: 'data_dir_bytes',
      rank: 1,
      value: (member) => parsedOf(member, 'dirs')?.dataDirSize,
      show: shortBytes,
    },
    {
      title: 'LOG',
      key: 'log_dir_bytes',
      rank: 1,
      value: (member) => parsedOf(member, 'dirs')?.logDirSize,
      show: shortBytes,
    },
  ],
  data: (member) => {
    const parsed = parsedOf(member, 'dirs');
    // Sizes are far below 2^53.
    const number = (size: bigint | undefined) => (size === undefined ? undefined : Number(size));
    return {
      dataDirBytes: number(parsed?.dataDirSize),
      logDirBytes: number(parsed?.logDirSize),
    };
  },
};
