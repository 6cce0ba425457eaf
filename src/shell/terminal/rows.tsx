import { Box, Text } from 'ink';
import type { ReactNode } from 'react';
import { paintSpans, type Span } from './theme.js';

interface Props {
  readonly rows: readonly (readonly Span[])[];
}

export function Rows({ rows }: Props): ReactNode {
  return (
    <Box flexDirection="column" flexShrink={0}>
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their place.
        <Text key={index} wrap="truncate">
          {paintSpans(row) || ' '}
        </Text>
      ))}
    </Box>
  );
}
