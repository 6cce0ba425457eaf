import { Box, useStdout } from 'ink';
import { type ReactNode, useCallback, useLayoutEffect, useSyncExternalStore } from 'react';
import { CompletionMenu } from './components/completion-menu.js';
import { InputLine } from './components/input-line.js';
import { StatusLine } from './components/status-line.js';
import { screenOf } from './screen.js';
import type { ShellDriver } from './shell-driver.js';
import { type TerminalSize, useTerminalSize } from './use-terminal-size.js';

export interface Props {
  readonly driver: ShellDriver;
}

/** The live part of the shell: the line, what completes it, and the bottom line. */
export function App({ driver }: Props): ReactNode {
  const subscribe = useCallback((listener: () => void) => driver.subscribe(listener), [driver]);
  const state = useSyncExternalStore(subscribe, () => driver.state);
  const size = useTerminalSize();
  const { write } = useStdout();
  useLayoutEffect(() => driver.scrollback.attach(write), [driver, write]);
  return state.isLeaving ? null : <Live driver={driver} size={size} />;
}

function Live({ driver, size }: Props & { readonly size: TerminalSize }): ReactNode {
  const { input, menu, menuRows, status } = screenOf(driver.state, driver.session, size);
  const columns = Math.max(1, size.columns - 1);
  return (
    <Box flexDirection="column">
      <InputLine {...input} top={0} />
      {menu.length > 0 && <CompletionMenu names={menu} columns={columns} maxRows={menuRows} />}
      <StatusLine status={status} columns={columns} />
    </Box>
  );
}
