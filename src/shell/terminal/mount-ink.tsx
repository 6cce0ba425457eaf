// The one place that calls Ink's render. Modules that import it are loaded by loadInk.
import { render, useStderr, useStdout } from 'ink';
import { type ReactNode, useSyncExternalStore } from 'react';
import { textWidth } from '../../commands/terminal/text-width.js';
import type { InputRows } from './input-rows.js';
import { repairAfterResize } from './resize-repair.js';
import { sizeOf, type TerminalSize } from './terminal-size.js';

/** Frames a second: a key is drawn at once, and echo and output never stand beside an old line. */
const MAX_FPS = 1000;
const CLEAR = '\x1b[2J\x1b[H';
const ALTERNATE_SCREEN = `\x1b[?1049h${CLEAR}`;
const MAIN_SCREEN = '\x1b[?1049l';

/** A state that changes, and tells its listeners so. */
export interface Source<S> {
  readonly state: S;
  /** @returns a function that ends it */
  subscribe(listener: () => void): () => void;
}

export interface ViewProps<S> {
  readonly state: S;
  readonly size: TerminalSize;
}

export interface MountOptions {
  /**
   * What the view draws on a terminal of this size, below the scrollback. Without it, the view has
   * a screen of its own, and what was there before comes back.
   */
  readonly frame?: (size: TerminalSize) => InputRows;
  /** Called with the first size and with each new one, before it is drawn. */
  readonly onSize?: (size: TerminalSize) => void;
  /** Does what was drawn last stay when the mount is closed? */
  readonly isKept?: boolean;
  /** Default: the process's own. */
  readonly stdout?: NodeJS.WriteStream;
  readonly stderr?: NodeJS.WriteStream;
}

export interface Mount {
  /** Writes whole lines above the view, to the stream that it is drawn on. */
  writeAbove(text: string): void;
  /** The same to the stream `stderr`, which may be the same terminal. */
  writeOther(text: string): void;
  close(): void;
}

/** Draws a view of a state on the terminal, anew whenever the state or the size changes. */
export function mountInk<S>(
  source: Source<S>,
  View: (props: ViewProps<S>) => ReactNode,
  options: MountOptions = {},
): Mount {
  const { frame, onSize, stdout = process.stdout, stderr = process.stderr } = options;
  let size = sizeOf(stdout);
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
  const ours = { exitOnCtrlC: false, patchConsole: false, maxFps: MAX_FPS };
  const ink = render(<Live />, { ...ours, stdout, stderr });
  const resize = () => {
    const last = size;
    size = sizeOf(stdout);
    // The rows that stand there are folded now, and Ink would not know where they are.
    if (size.columns < last.columns) {
      stdout.write(frame === undefined ? CLEAR : repaired(frame(last), size.columns));
    }
    onSize?.(size);
  };
  // Before Ink's own listener.
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
