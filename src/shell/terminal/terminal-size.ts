export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** A terminal of unknown size reports 0. */
export function sizeOf({ columns, rows }: NodeJS.WriteStream): TerminalSize {
  return { columns: columns || 80, rows: rows || 24 };
}
