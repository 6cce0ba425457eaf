import { type ReactNode, useCallback, useLayoutEffect, useSyncExternalStore } from 'react';
import { Rows } from '../terminal/rows.js';
import { useTerminalSize } from '../terminal/use-terminal-size.js';
import type { BrowserDriver } from './browser-driver.js';
import { browserRows, layoutOf } from './browser-screen.js';

export interface Props {
  readonly driver: BrowserDriver;
}

/** The full-screen browser. */
export function BrowserApp({ driver }: Props): ReactNode {
  const subscribe = useCallback((listener: () => void) => driver.subscribe(listener), [driver]);
  const state = useSyncExternalStore(subscribe, () => driver.state);
  const size = useTerminalSize();
  const { treeHeight, valueHeight, hexColumns } = layoutOf(size);
  useLayoutEffect(() => {
    driver.dispatch({ type: 'resized', treeHeight, valueHeight, hexColumns });
  }, [driver, treeHeight, valueHeight, hexColumns]);
  return <Rows rows={browserRows(state, size)} />;
}
