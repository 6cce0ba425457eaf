import type { Member } from '../ensemble/member.js';
import type { OpsVerb } from '../ensemble/verb.js';
import type { MEMBER_FORMATS } from '../program/output-format.js';
import type { NameTest } from '../znodes/path-glob.js';

export interface ShowOptions {
  readonly output: (typeof MEMBER_FORMATS)[number];
  /** Every row or value, not only one row for each member. */
  readonly isAll: boolean;
  /** Names without `zk_`. */
  readonly keys: NameTest | undefined;
  readonly isDiff?: boolean;
  readonly isQuiet: boolean;
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
