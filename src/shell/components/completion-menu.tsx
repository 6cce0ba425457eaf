import { Box } from 'ink';
import type { ReactNode } from 'react';
import { menuRows } from '../menu-rows.js';
import { Row } from './row.js';

export interface Props {
  readonly names: readonly string[];
  readonly columns: number;
  readonly maxRows: number;
}

/** What TAB found, in columns, as ls shows files. */
export function CompletionMenu({ names, columns, maxRows }: Props): ReactNode {
  return (
    <Box flexDirection="column">
      {menuRows(names, columns, maxRows).map((row) => (
        <Row key={row} spans={[{ text: row, tone: 'plain' }]} />
      ))}
    </Box>
  );
}
