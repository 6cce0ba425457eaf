import type { LoadKind, LoadRow } from '../../../fourlw/base/load-view.js';
import { STATE } from '../../ensemble/columns.js';
import { shortBytes, shortNumber } from '../../ensemble/format.js';
import { type Member, parsedOf } from '../../ensemble/member.js';
import type { Column, OpsVerb } from '../../ensemble/verb.js';
import { top } from './top.js';

function rowsOf(member: Member, by?: LoadKind): readonly LoadRow[] {
  const rows = parsedOf(member, 'load')?.rows ?? [];
  return by === undefined ? rows : rows.filter((row) => row.by === by);
}

/** Undefined for Apache's servers, which answer nothing. */
function totalOf(member: Member) {
  const found = parsedOf(member, 'load');
  return found === undefined || found.seconds === 0 ? undefined : found.total;
}

const FIGURES: readonly Column[] = [
  {
    title: 'REQ/s',
    key: 'requests_per_second',
    rank: 1,
    value: (member) => totalOf(member)?.requestsPerSecond,
    show: shortNumber,
  },
  {
    title: 'BYTES/s',
    key: 'bytes_per_second',
    rank: 2,
    value: (member) => totalOf(member)?.bytesPerSecond,
    show: shortBytes,
  },
  { title: 'WATCH', key: 'watch_count', rank: 3, value: (member) => totalOf(member)?.watches },
];

/** `/app (83 %)`: by requests. */
function busiest(by: LoadKind): Column {
  return {
    title: `MOST BY ${by.toUpperCase()}`,
    key: `most_by_${by}`,
    rank: 4,
    value: (member) => {
      const all = totalOf(member)?.requestsPerSecond ?? 0;
      const rates = rowsOf(member, by).map(({ requestsPerSecond }) => requestsPerSecond);
      const most = rowsOf(member, by)[rates.indexOf(Math.max(...rates))];
      if (most === undefined || all === 0) return undefined;
      return `${most.name} (${Math.round((100 * most.requestsPerSecond) / all)} %)`;
    },
  };
}

const KEYS = ['by', 'name', 'requests_per_second', 'bytes_per_second', 'watch_count'] as const;

/** `{ path: "/app", … }`, `{ session: "0x1a3", … }` */
function namedRows(member: Member, by?: LoadKind) {
  return rowsOf(member, by).map(({ by: kind, name, ...figures }) => ({ [kind]: name, ...figures }));
}

/** What `--all` lists. */
function details(by?: LoadKind): NonNullable<OpsVerb['details']> {
  return {
    keys: KEYS,
    rows: (member) =>
      rowsOf(member, by).map((row) => [
        row.by,
        row.name,
        row.requestsPerSecond,
        row.bytesPerSecond,
        row.watches,
      ]),
  };
}

export const load: OpsVerb = {
  name: 'load',
  summary: 'Show the load of every member; with --all, who causes it (zkserver only)',
  words: ['load'],
  judge: 'answers',
  columns: [STATE, ...FIGURES, busiest('path'), busiest('session')],
  details: details(),
  data: (member) => {
    return { total: totalOf(member), load: namedRows(member) };
  },
};

/** `top --by`: the same members, and who causes their load. */
export function topBy(by: LoadKind): OpsVerb {
  return {
    ...top,
    words: [...top.words, 'load'],
    columns: [...top.columns.slice(0, 1), ...FIGURES],
    details: details(by),
    data: (member) => ({ ...top.data(member), load: namedRows(member, by) }),
  };
}
