import { useCursor } from 'ink';
import type { ReactNode } from 'react';
import type { InputRows } from './input-rows.js';
import { Rows } from './rows.js';

/** @param cursor the terminal's own, counted from the top of all that is drawn */
export function InputLine({ rows, cursor }: InputRows): ReactNode {
  const { setCursorPosition } = useCursor();
  setCursorPosition(cursor);
  return <Rows rows={rows} />;
}
