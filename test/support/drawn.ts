// What a component draws. Tests load the components as the programs do, by loadInk.
import type { ReactNode } from 'react';
import { loadInk } from '../../src/shell/terminal/load-ink.js';

const { renderToString } = await loadInk(() => import('ink'));
export const { createElement } = await loadInk(() => import('react'));

/** Its rows, without blanks at their ends. */
export function drawnRows(node: ReactNode, columns = 80): readonly string[] {
  const text = renderToString(node, { columns });
  return text === '' ? [] : text.split('\n').map((row) => row.trimEnd());
}
