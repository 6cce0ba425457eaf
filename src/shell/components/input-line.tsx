import { Box, useCursor } from 'ink';
import type { ReactNode } from 'react';
import type { InputRows } from '../input-rows.js';
import { Row } from './row.js';

export interface Props extends InputRows {
  /** Where the first row stands in what Ink draws. */
  readonly top: number;
}

/** The prompt and the line being typed, with the terminal's own cursor in it. */
export function InputLine({ rows, cursor, top }: Props): ReactNode {
  const { setCursorPosition } = useCursor();
  setCursorPosition({ x: cursor.x, y: top + cursor.y });
  return (
    <Box flexDirection="column">
      {rows.map((row, index) => (
        // Rows have no identity but their place.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <Row key={index} spans={row} />
      ))}
    </Box>
  );
}
