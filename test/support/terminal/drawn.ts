// The output of a component. Tests load components with loadInk, as the programs do.
import type { ReactNode } from 'react';
import { loadInk } from '../../../src/shell/terminal/load-ink.js';

const { renderToString } = await loadInk(() => import('ink'));
export const { createElement } = await loadInk(() => import('react'));

/** Its rows, without trailing blanks. */
export function drawnRows(node: ReactNode, columns = 80): readonly string[] {
  const text = renderToString(node, { columns });
  return text === '' ? [] : text.split('\n').map((row) => row.trimEnd());
}
