// `diff` finds the fewest differing lines, and its limit of edits bounds the time.
import { diffArrays } from 'diff';

/** With more, everything between the first and the last difference is replaced. */
const MAX_EDITS = 1000;

export interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const old = before.slice(head, before.length - tail);
  const fresh = after.slice(head, after.length - tail);
  const parts = diffArrays(old, fresh, { maxEditLength: MAX_EDITS });
  const middle = parts?.flatMap(({ value, added, removed }) =>
    marked(added ? '+' : removed ? '-' : ' ', value),
  );
  return [
    ...marked(' ', before.slice(0, head)),
    ...(middle ?? [...marked('-', old), ...marked('+', fresh)]),
    ...marked(' ', before.slice(before.length - tail)),
  ];
}

function marked(sign: DiffLine['sign'], lines: readonly string[]): DiffLine[] {
  return lines.map((text) => ({ sign, text }));
}
