import { useCursor } from 'ink';
import type { ReactNode } from 'react';
import type { InputRows } from '../input-rows.js';
import { Rows } from './rows.js';

/** The prompt and the line being typed, with the terminal's own cursor in it. Drawn topmost. */
export function InputLine({ rows, cursor }: InputRows): ReactNode {
  const { setCursorPosition } = useCursor();
  setCursorPosition(cursor);
  return <Rows rows={rows} />;
}
