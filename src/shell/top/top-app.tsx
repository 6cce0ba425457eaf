import { type ReactNode, useSyncExternalStore } from 'react';
import { Rows } from '../terminal/rows.js';
import { useTerminalSize } from '../terminal/use-terminal-size.js';
import type { TopDriver } from './top-driver.js';
import { topScreen } from './top-screen.js';

/** The live screen: all that it shows is made by topScreen. */
export function TopApp({ driver }: { readonly driver: TopDriver }): ReactNode {
  const state = useSyncExternalStore(driver.subscribe, () => driver.state);
  const size = useTerminalSize();
  return <Rows rows={topScreen(state, size, driver.intervalMs)} />;
}
