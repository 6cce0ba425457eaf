import type { Column } from '../../ensemble/verb.js';
import type { OpsResult } from '../../ensemble/verdict/result.js';
import { GAP } from '../../terminal/draw-table.js';
import { textWidth } from '../../terminal/text-width.js';
import { shownCell } from './ops-cells.js';

export function widthOf(title: string, cells: readonly { readonly text: string }[]): number {
  return Math.max(...[{ text: title }, ...cells].map(({ text }) => textWidth(text)));
}

const LEAST_NAME = 16;
const NAME_SHARE = 0.3;

/** For the names of members: the figures need the rest. */
export function nameWidth(width: number): number {
  return Math.max(LEAST_NAME, Math.floor(width * NAME_SHARE));
}

/** Drops the least important columns until the rest fits. */
export function fitColumns(
  columns: readonly Column[],
  { members }: OpsResult,
  firstWidth: number,
  width: number,
): readonly Column[] {
  const widths = new Map(
    columns.map((column) => {
      const cells = members.map((member) => ({ text: shownCell(column, member, members) }));
      return [column, GAP + widthOf(column.title, cells)];
    }),
  );
  const kept = [...columns];
  const total = () => kept.reduce((sum, column) => sum + (widths.get(column) ?? 0), firstWidth);
  while (total() > width) {
    const worst = Math.max(...kept.map(({ rank }) => rank));
    if (worst === 0 || kept.length === 0) break;
    kept.splice(
      kept.findLastIndex(({ rank }) => rank === worst),
      1,
    );
  }
  return kept;
}
