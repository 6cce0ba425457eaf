// The answers of members as tables, and as the lines and bytes of other formats.

import { isUnjudged, type Member, type MemberState } from '../ensemble/member.js';
import type { Column as MemberColumn } from '../ensemble/verb.js';
import { levelOfCell, levelOfKey, problemsOf, worstLevel } from '../ensemble/verdict/blame.js';
import type { Level, OpsResult } from '../ensemble/verdict/result.js';
import { GAP } from '../terminal/draw-table.js';
import type { OpsTerminal } from '../terminal/ops-terminal.js';
import { shortNames } from '../terminal/short-names.js';
import { footer, problemLines } from './footer.js';
import { membersToJson, membersToJsonLines } from './members-json.js';
import { membersToNagios } from './nagios.js';
import { type Paints, paintsOf } from './paints.js';
import { pairsOf, type ShowOptions, wantsPairs } from './pairs.js';
import { membersToProm } from './prom.js';
import type { Column, Row, Table } from './result.js';
import { cellText, csvLine, plainLine, rowDrawer, widthOf } from './rows.js';

/** "" where -q prints nothing. */
export function renderMembers(
  result: OpsResult,
  show: ShowOptions,
  terminal: OpsTerminal,
): string | Buffer {
  if (show.isQuiet) return problemLines(result);
  const listed = () => detailTable(result, show) ?? memberTable(result);
  switch (show.output) {
    case 'table':
      return membersToText(result, show, terminal);
    case 'json':
      return membersToJson(result, show);
    case 'ndjson':
      return membersToJsonLines(result, show);
    case 'csv': {
      const { columns, rows } = listed();
      return [columns.map(({ key }) => key.toLowerCase()), ...rows].map(csvLine).join('');
    }
    case 'plain':
      return listed().rows.map(plainLine).join('');
    case 'raw':
      return membersToRaw(result);
    case 'nagios':
      return membersToNagios(result);
    case 'prom':
      return membersToProm(result);
  }
}

const SERVER: Column = { key: 'server', title: 'MEMBER' };

/** One row for each member: the exact values of every column, then the reason and the sentence. */
function memberTable({ verb, members }: OpsResult): Table {
  return {
    columns: [SERVER, ...verb.columns, { key: 'error' }],
    rows: members.map((member) => [
      member.server,
      ...verb.columns.map((column) => column.value(member, members)),
      member.fault?.message ?? member.note?.message,
    ]),
  };
}

/** The rows of --all and --keys; undefined without them. */
function detailTable({ verb, members }: OpsResult, show: ShowOptions): Table | undefined {
  const { details } = verb;
  const tableOf = (keys: readonly string[], rows: (member: Member) => readonly Row[]): Table => ({
    columns: [SERVER, ...keys.map((key) => ({ key }))],
    rows: members.flatMap((member) => rows(member).map((row) => [member.server, ...row])),
  });
  if (show.isAll && details !== undefined) return tableOf(details.keys, details.rows);
  if (!wantsPairs(verb, show)) return undefined;
  return tableOf(['key', 'value'], (member) => pairsOf(verb, member, show, members));
}

/** `-` for an unknown value. */
export function shownCell(
  column: MemberColumn,
  member: Member,
  members: readonly Member[],
): string {
  return cellText(column, column.value(member, members));
}

function membersToText(result: OpsResult, show: ShowOptions, terminal: OpsTerminal): string {
  const { isColor, width } = terminal;
  const paints = paintsOf(isColor);
  const pairs = pivot(result, show, width);
  const listed = pairs ?? detailTable(result, show);
  const body =
    listed === undefined
      ? summary(result, width, paints)
      : rowDrawer(listed.columns, { width, paints })(listed.rows, {
          cell: detailLevels(result, pairs !== undefined),
        });
  return `${body}${footer(result, width, paints)}`;
}

const LEAST_NAME = 16;
const NAME_SHARE = 0.3;

/** For the names of members: the figures need the rest. */
export function nameWidth(width: number): number {
  return Math.max(LEAST_NAME, Math.floor(width * NAME_SHARE));
}

function summary(result: OpsResult, width: number, paints: Paints): string {
  const { columns, rows } = memberTable(result);
  const { members, verb, verdict } = result;
  const names = members.map(({ server }) => server);
  const short = shortNames(names, nameWidth(width));
  const shortOf = (name: unknown) => short[names.indexOf(String(name))] ?? String(name);
  const shown: Column[] = [{ ...SERVER, show: shortOf }, ...columns.slice(1, -1)];
  const byServer = new Map(members.map((member) => [member.server, member]));
  const levelOf = (row: Row, { key }: Column): Level | undefined => {
    const member = byServer.get(String(row[0]));
    if (member === undefined) return undefined;
    if (key === 'state') return levelOfState(member.state);
    const problems = problemsOf(member, verdict);
    if (key === SERVER.key) return worstLevel(problems);
    const own = verb.columns.find((column) => column.key === key);
    return own && levelOfCell(own, problems);
  };
  return rowDrawer(shown, { width, paints, isUsedOnly: true })(rows, { cell: levelOf });
}

function levelOfState(state: MemberState): Level {
  if (state === 'serving' || state === 'answered') return 'healthy';
  if (state === 'read-only') return 'warning';
  return isUnjudged(state) ? 'unknown' : 'critical';
}

/** @param isPivot the members are columns, not rows */
function detailLevels({ members, verdict }: OpsResult, isPivot: boolean) {
  const problems = new Map(members.map((member) => [member.server, problemsOf(member, verdict)]));
  return (row: Row, { key }: Column): Level | undefined => {
    const own = problems.get(isPivot ? key : String(row[0])) ?? [];
    if (isPivot) return key === 'key' ? undefined : levelOfKey(String(row[0]), own);
    return key === SERVER.key ? worstLevel(own) : levelOfKey(String(row[1]), own);
  };
}

/** One row for each key and one column for each member, if they fit. */
function pivot({ verb, members }: OpsResult, show: ShowOptions, width: number): Table | undefined {
  if (!wantsPairs(verb, show)) return undefined;
  const reporting = members.filter((member) => (verb.pairs?.(member).length ?? 0) > 0);
  const values = reporting.map((member) => new Map(pairsOf(verb, member, show, members)));
  const keys = [...new Set(values.flatMap((map) => [...map.keys()]))];
  const rows = keys.map((key) => [key, ...values.map((map) => map.get(key))]);
  const names = reporting.map(({ server }) => ({ key: server, title: server.toUpperCase() }));
  const columns = [{ key: 'key', title: 'KEY' }, ...names];
  const widths = columns.map(
    (column, at) =>
      GAP +
      widthOf(
        column.title,
        rows.map((row) => cellText({}, row[at])),
      ),
  );
  const total = widths.reduce((sum, each) => sum + each, -GAP);
  return total > width ? undefined : { columns, rows };
}

/** Several members get headings, as with head(1), even those without an answer. */
function membersToRaw({ verb, members }: OpsResult): Buffer {
  const [word] = verb.words;
  const bytesOf = ({ answers }: Member): Buffer =>
    (word === undefined ? undefined : answers[word]?.bytes) ?? Buffer.alloc(0);
  const [only] = members;
  if (members.length === 1 && only !== undefined) return bytesOf(only);
  return Buffer.concat(
    members.flatMap((member, index) => {
      const bytes = bytesOf(member);
      const isEnded = bytes.length === 0 || bytes.at(-1) === 0x0a;
      return [
        Buffer.from(`${index === 0 ? '' : '\n'}==> ${member.server} <==\n`),
        bytes,
        Buffer.from(isEnded ? '' : '\n'),
      ];
    }),
  );
}
