import type { ReactNode } from 'react';
import { drawable, graphemes, truncate } from '../text-width.js';
import type { Span } from '../theme.js';
import { Row } from './row.js';

export interface Props {
  readonly status: Span;
  readonly columns: number;
}

/** The bottom line: what is wrong with the line, or how its command is used. */
export function StatusLine({ status, columns }: Props): ReactNode {
  const text = graphemes(status.text.replaceAll('\n', ' ')).map(drawable).join('');
  return <Row spans={[{ text: truncate(text, columns), tone: status.tone }]} />;
}
