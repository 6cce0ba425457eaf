import type { Groups } from '../../../fourlw/base/groups.js';
import { STATE } from '../../ensemble/columns.js';
import { type Member, parsedOf } from '../../ensemble/member.js';
import type { Column, OpsVerb } from '../../ensemble/verb.js';

export const wchs: OpsVerb = {
  name: 'wchs',
  summary: 'Count the watching connections and the watched paths of every member',
  words: ['wchs'],
  judge: 'answers',
  columns: [
    STATE,
    { key: 'connections', rank: 1, value: (member) => parsedOf(member, 'wchs')?.connections },
    { key: 'paths', rank: 1, value: (member) => parsedOf(member, 'wchs')?.paths },
    { key: 'watches', rank: 1, value: (member) => parsedOf(member, 'wchs')?.watches },
  ],
  data: (member) => ({ ...parsedOf(member, 'wchs') }),
};

type GroupsOf = (member: Member) => Groups | undefined;

function counts(groupsOf: GroupsOf, groups: string, entries: string): readonly Column[] {
  return [
    STATE,
    { key: groups, rank: 1, value: (member) => groupsOf(member)?.length },
    {
      key: entries,
      rank: 1,
      value: (member) => groupsOf(member)?.reduce((sum, [, list]) => sum + list.length, 0),
    },
  ];
}

function rowsOf(groupsOf: GroupsOf) {
  return (member: Member) =>
    (groupsOf(member) ?? []).flatMap(([heading, list]) => list.map((entry) => [heading, entry]));
}

const bySession: GroupsOf = (member) => parsedOf(member, 'wchc')?.sessions;
const byPath: GroupsOf = (member) => parsedOf(member, 'wchp')?.paths;

export const wchc: OpsVerb = {
  name: 'wchc',
  summary: 'Count the watches of every member by session; with --all, list them (costly)',
  words: ['wchc'],
  isCostly: true,
  judge: 'answers',
  columns: counts(bySession, 'sessions', 'watches'),
  details: { keys: ['session', 'path'], rows: rowsOf(bySession) },
  data: (member) => ({ sessions: Object.fromEntries(bySession(member) ?? []) }),
};

export const wchp: OpsVerb = {
  name: 'wchp',
  summary: 'Count the watches of every member by path; with --all, list them (costly)',
  words: ['wchp'],
  isCostly: true,
  judge: 'answers',
  columns: counts(byPath, 'paths', 'watches'),
  details: { keys: ['path', 'session'], rows: rowsOf(byPath) },
  data: (member) => ({ paths: Object.fromEntries(byPath(member) ?? []) }),
};
