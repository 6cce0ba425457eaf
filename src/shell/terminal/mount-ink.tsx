import { render, useStderr, useStdout } from 'ink';
import { type ReactNode, useSyncExternalStore } from 'react';
import { textWidth } from '../../commands/terminal/text-width.js';
import type { InputRows } from './input-rows.js';
import { fillSize, type TerminalSize } from './terminal-size.js';

// The only caller of Ink's render. Import it through loadInk.

/** High enough to draw each key at once. */
const MAX_FPS = 1000;
const CLEAR = '\x1b[2J\x1b[H';
const ALTERNATE_SCREEN = `\x1b[?1049h${CLEAR}`;
const MAIN_SCREEN = '\x1b[?1049l';

export interface Source<S> {
  readonly state: S;
  subscribe(listener: () => void): () => void;
}

export interface ViewProps<S> {
  readonly state: S;
  readonly size: TerminalSize;
}

export interface MountOptions {
  /** The rows of the view below the scrollback. Undefined uses the alternate screen. */
  readonly frame?: (size: TerminalSize) => InputRows;
  /** Called before each size is drawn, including the first. */
  readonly onSize?: (size: TerminalSize) => void;
  readonly isKept?: boolean;
  readonly stdout?: NodeJS.WriteStream;
  readonly stderr?: NodeJS.WriteStream;
}

export interface Mount {
  /** Writes complete lines above the view. */
  writeAbove(text: string): void;
  /** Writes complete lines to `stderr`, which may be the same terminal. */
  writeOther(text: string): void;
  close(): void;
}

export function mountInk<S>(
  source: Source<S>,
  View: (props: ViewProps<S>) => ReactNode,
  options: MountOptions = {},
): Mount {
  const { frame, onSize, stdout = process.stdout, stderr = process.stderr } = options;
  let size = fillSize(stdout);
  const onState = (listener: () => void) => source.subscribe(listener);
  const onResize = (listener: () => void) => {
    stdout.on('resize', listener);
    return () => stdout.off('resize', listener);
  };
  let writeAbove: Mount['writeAbove'] | undefined;
  let writeOther: Mount['writeOther'] | undefined;
  function Live(): ReactNode {
    writeAbove = useStdout().write;
    writeOther = useStderr().write;
    const state = useSyncExternalStore(onState, () => source.state);
    return <View state={state} size={useSyncExternalStore(onResize, () => size)} />;
  }
  if (frame === undefined) stdout.write(ALTERNATE_SCREEN);
  onSize?.(size);
  const inkOptions = { exitOnCtrlC: false, patchConsole: false, maxFps: MAX_FPS };
  const ink = render(<Live />, { ...inkOptions, stdout, stderr });
  const resize = () => {
    const last = size;
    size = fillSize(stdout);
    // The terminal has wrapped the drawn rows, but Ink does not know.
    if (size.columns < last.columns) {
      stdout.write(frame === undefined ? CLEAR : repaired(frame(last), size.columns));
    }
    onSize?.(size);
  };
  // Must run before Ink's listener.
  stdout.prependListener('resize', resize);
  return {
    writeAbove: (text) => writeAbove?.(text),
    writeOther: (text) => writeOther?.(text),
    close: () => {
      stdout.off('resize', resize);
      if (options.isKept !== true) ink.clear();
      ink.unmount();
      if (frame === undefined) stdout.write(MAIN_SCREEN);
    },
  };
}

function repaired({ rows, cursor }: InputRows, columns: number): string {
  if (rows.length === 0) return '';
  const widths = rows.map((row) => row.reduce((sum, { text }) => sum + textWidth(text), 0));
  return repairAfterResize({ widths, cursor }, columns);
}

// A terminal that becomes narrower wraps its rows, but Ink erases only as many rows as it drew. A
// terminal that cuts rows instead (plain xterm) may lose one or two rows above.

export interface Frame {
  /** In columns. */
  readonly widths: readonly number[];
  readonly cursor: { readonly x: number; readonly y: number };
}

/**
 * Escape sequences to write before Ink handles the new width: they erase the wrapped rows, and move
 * the cursor and the room for rows to where Ink expects them.
 */
export function repairAfterResize({ widths, cursor }: Frame, columns: number): string {
  const above = sum(widths.slice(0, cursor.y).map((width) => folded(width, columns)));
  const up = above + Math.floor(cursor.x / columns);
  const all = sum(widths.map((width) => folded(width, columns)));
  const down = widths.length;
  return [
    moveUp(up),
    '\r',
    // Erase row by row: tmux copies a screen that is erased from its top to the scrollback.
    '\x1b[2K\x1b[1B'.repeat(all - 1),
    '\x1b[2K',
    moveUp(all - 1),
    '\n'.repeat(down),
    moveUp(down - cursor.y),
    `\x1b[${cursor.x + 1}G`,
  ].join('');
}

function moveUp(rows: number): string {
  return rows > 0 ? `\x1b[${rows}A` : '';
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function folded(width: number, columns: number): number {
  return Math.max(1, Math.ceil(width / columns));
}
