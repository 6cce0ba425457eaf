// The only caller of Ink's render. Import it through loadInk.
import { render, useStderr, useStdout } from 'ink';
import { type ReactNode, useSyncExternalStore } from 'react';
import { textWidth } from '../../commands/terminal/text-width.js';
import type { InputRows } from './input-rows.js';
import { repairAfterResize } from './resize-repair.js';
import { fillSize, type TerminalSize } from './terminal-size.js';

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
