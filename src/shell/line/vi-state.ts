// The state of the keys of vi between two of them.

export interface ViState {
  readonly mode: 'insert' | 'normal';
  /** The begun command: a count, an operator, or a key that needs a character. */
  readonly pending: string;
  /** The lines before the changes, oldest first. */
  readonly undo: readonly Snapshot[];
  /** For `;` and `,`. */
  readonly found: Found | undefined;
  /** For `.`. */
  readonly change: Change | undefined;
  /** The insertion under way, if a command began it. */
  readonly insertion: Insertion | undefined;
}

export interface Found {
  /** One of f, F, t, and T. */
  readonly motion: string;
  readonly sought: string;
}

interface Change {
  /** The command, with its count. */
  readonly keys: string;
  readonly inserted: string;
}

interface Insertion {
  readonly keys: string;
  /** The line before and after the place of the insertion. */
  readonly prefix: string;
  readonly suffix: string;
}

interface Snapshot {
  readonly text: string;
  readonly cursor: number;
}

export const VI_START: ViState = {
  mode: 'insert',
  pending: '',
  undo: [],
  found: undefined,
  change: undefined,
  insertion: undefined,
};

/** A new line: finds and changes of earlier lines can be repeated in it. */
export function restartVi({ found, change }: ViState): ViState {
  return { ...VI_START, found, change };
}
