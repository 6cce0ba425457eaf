// Three versions of a text: what two changed since the first, put together line by line.

export interface Merge {
  readonly text: string;
  /** Places where both changed the same lines in different ways; they are marked in the text. */
  readonly conflicts: number;
}

interface Change {
  /** Of the base: the lines from `start` up to `end`. */
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

const OURS = '<<<<<<< yours';
const BASE = '||||||| as it was';
const SPLIT = '=======';
const THEIRS = '>>>>>>> on the server';

/** Joins two changes of one text; what only one of them changed is taken from there. */
export function mergeLines(base: string, yours: string, theirs: string): Merge {
  const lines = base.split('\n');
  const [ours, others] = [
    changesOf(lines, yours.split('\n')),
    changesOf(lines, theirs.split('\n')),
  ];
  const merged: string[] = [];
  let at = 0;
  let conflicts = 0;
  while (ours.length > 0 || others.length > 0) {
    const [mine, other] = takeOverlapping(ours, others);
    const start = Math.min(...[...mine, ...other].map((change) => change.start));
    const end = Math.max(...[...mine, ...other].map((change) => change.end));
    merged.push(...lines.slice(at, start));
    const left = applied(lines, mine, start, end);
    const right = applied(lines, other, start, end);
    if (mine.length === 0) merged.push(...right);
    else if (other.length === 0 || isSame(left, right)) merged.push(...left);
    else {
      conflicts++;
      merged.push(OURS, ...left, BASE, ...lines.slice(start, end), SPLIT, ...right, THEIRS);
    }
    at = end;
  }
  merged.push(...lines.slice(at));
  return { text: merged.join('\n'), conflicts };
}

/** The first change of either side, and all that touch it or each other. */
function takeOverlapping(ours: Change[], others: Change[]): [Change[], Change[]] {
  const taken: [Change[], Change[]] = [[], []];
  let end = -1;
  for (;;) {
    const [left, right] = [ours[0], others[0]];
    const isLeft = left !== undefined && (right === undefined || left.start <= right.start);
    const next = isLeft ? left : right;
    if (next === undefined || (end !== -1 && next.start > end)) return taken;
    end = Math.max(end, next.end);
    taken[isLeft ? 0 : 1].push(next);
    (isLeft ? ours : others).shift();
  }
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
    result.push(...lines.slice(at, change.start), ...change.lines);
    at = change.end;
  }
  return [...result, ...lines.slice(at, end)];
}

/** Above this the lines between the first and the last difference are one change. */
const MAX_CELLS = 4_000_000;

function changesOf(from: readonly string[], to: readonly string[]): Change[] {
  let head = 0;
  while (head < from.length && head < to.length && from[head] === to[head]) head++;
  let tail = 0;
  while (
    tail < from.length - head &&
    tail < to.length - head &&
    from[from.length - 1 - tail] === to[to.length - 1 - tail]
  ) {
    tail++;
  }
  const a = from.slice(head, from.length - tail);
  const b = to.slice(head, to.length - tail);
  if (a.length === 0 && b.length === 0) return [];
  if (a.length * b.length > MAX_CELLS) return [{ start: head, end: head + a.length, lines: b }];
  return changesBetween(a, b, head);
}

/** By the longest common sequence of lines. */
function changesBetween(a: readonly string[], b: readonly string[], offset: number): Change[] {
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  const lengthAt = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        a[i] === b[j]
          ? lengthAt(i + 1, j + 1) + 1
          : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
    }
  }
  const changes: Change[] = [];
  let [i, j, startA, startB] = [0, 0, 0, 0];
  const close = () => {
    if (i > startA || j > startB) {
      changes.push({ start: offset + startA, end: offset + i, lines: b.slice(startB, j) });
    }
  };
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      close();
      i++;
      j++;
      [startA, startB] = [i, j];
    } else if (lengthAt(i + 1, j) >= lengthAt(i, j + 1)) i++;
    else j++;
  }
  [i, j] = [a.length, b.length];
  close();
  return changes;
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, at) => line === b[at]);
}
