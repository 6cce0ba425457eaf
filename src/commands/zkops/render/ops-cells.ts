import { safeLine } from '../../../protocol/sanitize.js';
import type { Member } from '../../ensemble/member.js';
import type { CellValue, Column, OpsVerb } from '../../ensemble/verb.js';
import type { OpsResult } from '../../ensemble/verdict/result.js';
import type { ShowOptions } from '../calls/cli-world.js';
import type { Grid } from '../calls/grid.js';

/** "" for an unknown value. */
export function cellText(value: CellValue): string {
  return value === undefined ? '' : safeLine(String(value));
}

/** One row for each member: the exact values of every column, then the reason and the sentence. */
export function memberGrid({ verb, members }: OpsResult): Grid {
  return {
    titles: ['server', ...verb.columns.map(({ key }) => key), 'error'],
    rows: members.map((member) => [
      member.server,
      ...verb.columns.map((column) => column.value(member, members)),
      member.fault?.message ?? member.note?.message,
    ]),
  };
}

/** The rows of --all and --keys; undefined without them. */
export function detailGrid({ verb, members }: OpsResult, show: ShowOptions): Grid | undefined {
  const { details } = verb;
  if (show.isAll && details !== undefined) {
    return {
      titles: ['server', ...details.titles],
      rows: members.flatMap((member) => details.rows(member).map((row) => [member.server, ...row])),
    };
  }
  if (!wantsPairs(verb, show)) return undefined;
  return {
    titles: ['server', 'key', 'value'],
    rows: members.flatMap((member) =>
      pairsOf(verb, member, show, members).map(([key, value]) => [member.server, key, value]),
    ),
  };
}

export function wantsPairs(verb: OpsVerb, show: ShowOptions): boolean {
  const isWanted = show.isAll || show.keys !== undefined || show.isDiff === true;
  return verb.pairs !== undefined && isWanted;
}

export function pairsOf(
  verb: OpsVerb,
  member: Member,
  show: ShowOptions,
  members: readonly Member[],
): readonly (readonly [string, string])[] {
  const pairs = verb.pairs?.(member) ?? [];
  const pattern = show.keys ?? /^/;
  const differs = show.isDiff === true ? differing(verb, members) : undefined;
  return pairs.filter(([key]) => pattern.test(key) && differs?.has(key) !== false);
}

/** The keys whose values differ between the members that report them. */
function differing(verb: OpsVerb, members: readonly Member[]): ReadonlySet<string> {
  const valuesByMember = members
    .map((member) => new Map(verb.pairs?.(member)))
    .filter((values) => values.size > 0);
  const keys = new Set(valuesByMember.flatMap((values) => [...values.keys()]));
  const [first] = valuesByMember;
  return new Set(
    [...keys].filter((key) => valuesByMember.some((values) => values.get(key) !== first?.get(key))),
  );
}

/** `-` for an unknown value. */
export function shownCell(column: Column, member: Member, members: readonly Member[]): string {
  const value = column.value(member, members);
  if (value === undefined) return '-';
  return safeLine(column.show === undefined ? String(value) : column.show(value));
}
