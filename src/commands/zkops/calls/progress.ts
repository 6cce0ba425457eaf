import type { Progress } from './task.js';

const SHOW_AFTER_MS = 500;
const REDRAW_MS = 100;
const BAR_WIDTH = 30;

export interface ProgressBar {
  readonly show: Progress;
  /** Takes the bar off the screen. */
  readonly clear: () => void;
}

/**
 * A bar on one line of a terminal; nothing at all elsewhere, and nothing for what takes no time.
 */
export function progressBar(
  stream: { readonly isTTY?: boolean; write: (text: string) => unknown },
  clock: () => number,
): ProgressBar {
  if (stream.isTTY !== true) return { show: () => undefined, clear: () => undefined };
  const startedAt = clock();
  let drawnAt = startedAt + SHOW_AFTER_MS - REDRAW_MS;
  let isDrawn = false;
  const clear = (): void => {
    if (isDrawn) stream.write('\r\u001b[K');
    isDrawn = false;
  };
  const show: Progress = (label, done, total) => {
    const now = clock();
    if (now - drawnAt < REDRAW_MS) return;
    drawnAt = now;
    isDrawn = true;
    const share = total > 0 ? Math.min(1, done / total) : 0;
    const bar = '#'.repeat(Math.round(share * BAR_WIDTH)).padEnd(BAR_WIDTH, '.');
    stream.write(`\r\u001b[K${label} [${bar}] ${Math.floor(share * 100)}%`);
  };
  return { show, clear };
}
