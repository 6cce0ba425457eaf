import { STATE } from '../../ensemble/columns.js';
import { parsedOf } from '../../ensemble/member.js';
import type { OpsVerb } from '../../ensemble/verb.js';

export const dump: OpsVerb = {
  name: 'dump',
  summary: 'Count sessions and ephemerals; with --all, list them',
  words: ['dump'],
  judge: 'answers',
  columns: [
    STATE,
    { key: 'sessions', rank: 1, value: (member) => parsedOf(member, 'dump')?.sessions.length },
    {
      title: 'WITH EPHEMERALS',
      key: 'sessions_with_ephemerals',
      rank: 2,
      value: (member) => parsedOf(member, 'dump')?.ephemerals.length,
    },
    {
      key: 'ephemerals',
      rank: 1,
      value: (member) =>
        parsedOf(member, 'dump')?.ephemerals.reduce((sum, [, paths]) => sum + paths.length, 0),
    },
    {
      key: 'connections',
      rank: 3,
      value: (member) => parsedOf(member, 'dump')?.connections.length,
    },
  ],
  details: {
    keys: ['session', 'ephemeral'],
    rows: (member) =>
      (parsedOf(member, 'dump')?.ephemerals ?? []).flatMap(([session, paths]) =>
        paths.map((path) => [session, path]),
      ),
  },
  data: (member) => {
    const parsed = parsedOf(member, 'dump');
    if (parsed === undefined) return {};
    const { sessions, ephemerals, connections } = parsed;
    return { sessions, ephemerals: Object.fromEntries(ephemerals), connections };
  },
};
