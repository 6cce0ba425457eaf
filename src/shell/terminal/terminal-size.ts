export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** A terminal of unknown size, such as that of `docker exec -t`, reports 0. */
export function sizeOf({ columns, rows }: NodeJS.WriteStream): TerminalSize {
  return { columns: columns || 80, rows: rows || 24 };
}

/** Ink reads the stream, and takes 0 rows for a full screen. */
export function fillSize(stream: NodeJS.WriteStream): TerminalSize {
  const size = sizeOf(stream);
  return Object.assign(stream, size) && size;
}
