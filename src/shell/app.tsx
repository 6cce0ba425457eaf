import { Box, useStdout } from 'ink';
import { type ReactNode, useCallback, useLayoutEffect, useSyncExternalStore } from 'react';
import { textWidth } from '../commands/terminal/text-width.js';
import { screenOf } from './screen.js';
import type { ShellDriver } from './shell-driver.js';
import { InputLine } from './terminal/input-line.js';
import type { Frame } from './terminal/resize-repair.js';
import { Rows } from './terminal/rows.js';
import { type TerminalSize, useTerminalSize } from './terminal/use-terminal-size.js';

export interface Props {
  readonly driver: ShellDriver;
  /** Told what stands on the terminal, each time that it changed. */
  readonly onDraw: (frame: Frame) => void;
}

/** The live part of the shell: the line, what completes it, and the bottom line. */
export function App({ driver, onDraw }: Props): ReactNode {
  const subscribe = useCallback((listener: () => void) => driver.subscribe(listener), [driver]);
  const state = useSyncExternalStore(subscribe, () => driver.state);
  const size = useTerminalSize();
  const { write } = useStdout();
  useLayoutEffect(() => driver.scrollback.attach(write), [driver, write]);
  return state.isLeaving ? null : <Live driver={driver} onDraw={onDraw} size={size} />;
}

function Live({ driver, onDraw, size }: Props & { readonly size: TerminalSize }): ReactNode {
  const { pane, input, menu, status } = screenOf(driver.state, driver.session, size);
  const above = pane.map((row) => [row]);
  const rows = [...above, ...input.rows, ...menu, [status]];
  const cursor = { x: input.cursor.x, y: above.length + input.cursor.y };
  useLayoutEffect(() => {
    const widths = rows.map((row) => row.reduce((sum, { text }) => sum + textWidth(text), 0));
    onDraw({ widths, cursor });
  });
  return (
    <Box flexDirection="column">
      {above.length > 0 && <Rows rows={above} />}
      <InputLine rows={input.rows} cursor={cursor} />
      {menu.length > 0 && <Rows rows={menu} />}
      <Rows rows={[[status]]} />
    </Box>
  );
}
