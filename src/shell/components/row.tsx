import { Text } from 'ink';
import type { ReactNode } from 'react';
import { paintSpans, type Span } from '../theme.js';

export interface Props {
  /** No wider than the terminal: what is, is cut. */
  readonly spans: readonly Span[];
}

/** One row of the terminal, empty or not. */
export function Row({ spans }: Props): ReactNode {
  const text = paintSpans(spans);
  return <Text wrap="truncate">{text === '' ? ' ' : text}</Text>;
}
