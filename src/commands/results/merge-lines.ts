import { append } from '../../base/append.js';
import { diffLines } from './line-diff.js';

export interface Merge {
  readonly text: string;
  /** Places that both sides changed differently. The text has conflict markers for them. */
  readonly conflicts: number;
}

interface Change {
  /** The base lines from `start` up to `end`. */
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

const YOUR_VERSION = '<<<<<<< your version';
const BASE = '||||||| original';
const SEPARATOR = '=======';
const SERVER_VERSION = '>>>>>>> server';

export function mergeLines(base: string, edited: string, current: string): Merge {
  const lines = base.split('\n');
  const [ownChanges, serverChanges] = [
    changesOf(lines, edited.split('\n')),
    changesOf(lines, current.split('\n')),
  ];
  const merged: string[] = [];
  let at = 0;
  let conflicts = 0;
  while (ownChanges.length > 0 || serverChanges.length > 0) {
    const [own, other] = takeOverlapping(ownChanges, serverChanges);
    const changes = [...own, ...other];
    const start = changes.reduce((least, change) => Math.min(least, change.start), lines.length);
    const end = changes.reduce((most, change) => Math.max(most, change.end), 0);
    append(merged, lines.slice(at, start));
    const left = applied(lines, own, start, end);
    const right = applied(lines, other, start, end);
    if (own.length === 0) append(merged, right);
    else if (other.length === 0 || isSame(left, right)) append(merged, left);
    else {
      conflicts++;
      merged.push(
        YOUR_VERSION,
        ...left,
        BASE,
        ...lines.slice(start, end),
        SEPARATOR,
        ...right,
        SERVER_VERSION,
      );
    }
    at = end;
  }
  append(merged, lines.slice(at));
  return { text: merged.join('\n'), conflicts };
}

/** Takes the first change of either side and all changes that overlap with it. */
function takeOverlapping(ownChanges: Change[], serverChanges: Change[]): [Change[], Change[]] {
  const taken: [Change[], Change[]] = [[], []];
  let end = -1;
  for (;;) {
    const [left, right] = [ownChanges[0], serverChanges[0]];
    const isLeft = left !== undefined && (right === undefined || left.start <= right.start);
    const next = isLeft ? left : right;
    if (next === undefined || (end !== -1 && next.start > end)) return taken;
    end = Math.max(end, next.end);
    taken[isLeft ? 0 : 1].push(next);
    (isLeft ? ownChanges : serverChanges).shift();
  }
}

function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((line, at) => line === right[at]);
}

function applied(
  lines: readonly string[],
  changes: readonly Change[],
  start: number,
  end: number,
): string[] {
  const result: string[] = [];
  let at = start;
  for (const change of changes) {
    append(result, lines.slice(at, change.start));
    append(result, change.lines);
    at = change.end;
  }
  return [...result, ...lines.slice(at, end)];
}

function changesOf(from: readonly string[], to: readonly string[]): Change[] {
  const changes: Change[] = [];
  let [at, start]: [number, number] = [0, 0];
  let lines: string[] = [];
  for (const { sign, text } of [...diffLines(from, to), { sign: ' ', text: '' }]) {
    if (sign === '-') at++;
    else if (sign === '+') lines.push(text);
    else {
      if (at > start || lines.length > 0) changes.push({ start, end: at, lines });
      [start, lines] = [++at, []];
    }
  }
  return changes;
}
