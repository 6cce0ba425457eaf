/** Cells of the table that finds what two texts share; beyond it, all is shown as changed. */
const MAX_CELLS = 1_000_000;

export interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/** The lines of two texts, those that only one has with a sign; the fewest that can be marked. */
export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  let head = 0;
  while (head < Math.min(before.length, after.length) && before[head] === after[head]) head++;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  return [
    ...before.slice(0, head).map(same),
    ...diffMiddle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(same),
  ];
}

function diffMiddle(before: readonly string[], after: readonly string[]): DiffLine[] {
  const width = after.length + 1;
  if (before.length * width > MAX_CELLS) return [...before.map(removed), ...after.map(added)];
  // lengths[i * width + j]: of the longest subsequence that before from i and after from j share.
  const lengths = new Uint32Array((before.length + 1) * width);
  const lengthAt = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        before[i] === after[j]
          ? lengthAt(i + 1, j + 1) + 1
          : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
    }
  }
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length && j < after.length) {
    const old = before[i] ?? '';
    const fresh = after[j] ?? '';
    if (old === fresh) {
      lines.push(same(old));
      i++;
      j++;
    } else if (lengthAt(i + 1, j) >= lengthAt(i, j + 1)) {
      lines.push(removed(old));
      i++;
    } else {
      lines.push(added(fresh));
      j++;
    }
  }
  return [...lines, ...before.slice(i).map(removed), ...after.slice(j).map(added)];
}

function same(text: string): DiffLine {
  return { sign: ' ', text };
}

function removed(text: string): DiffLine {
  return { sign: '-', text };
}

function added(text: string): DiffLine {
  return { sign: '+', text };
}
