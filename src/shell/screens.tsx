// Only one view is mounted at a time: the line below the scrollback, or the full-screen browser.
import type { BrowserDriver } from './browser/browser-driver.js';
import { BrowserScreen, layoutOf } from './browser/browser-screen.js';
import type { ShellDriver } from './shell-driver.js';
import { frameOf, ShellScreen } from './shell-screen.js';
import type { ShellState } from './shell-state.js';
import { type MountOptions, mountInk, type ViewProps } from './terminal/mount-ink.js';
import type { TerminalSize } from './terminal/terminal-size.js';

interface Screen {
  close(): void;
}

export function openScreens(driver: ShellDriver, lendKeyboard: () => () => void): Screen {
  let browser: BrowserDriver | undefined;
  let isLent = false;
  let screen = openLine(driver);
  const unsubscribe = driver.subscribe(() => {
    if (driver.browser === browser && driver.terminal.isLent === isLent) return;
    ({ browser } = driver);
    ({ isLent } = driver.terminal);
    screen.close();
    if (isLent) screen = { close: lendKeyboard() };
    else screen = browser === undefined ? openLine(driver) : openBrowser(browser);
  });
  return {
    close: () => {
      unsubscribe();
      screen.close();
    },
  };
}

export function openLine(driver: ShellDriver, options: MountOptions = {}): Screen {
  const { session, scrollback } = driver;
  const view = (props: ViewProps<ShellState>) => <ShellScreen {...props} resolver={session} />;
  const frame = (size: TerminalSize) => frameOf({ state: driver.state, size, resolver: session });
  const mount = mountInk(driver, view, { ...options, frame });
  const detach = scrollback.attach(mount.writeAbove);
  return {
    close: () => {
      detach();
      mount.close();
    },
  };
}

export function openBrowser(driver: BrowserDriver, options: MountOptions = {}): Screen {
  const onSize = (size: TerminalSize) => driver.dispatch({ type: 'resized', ...layoutOf(size) });
  return mountInk(driver, BrowserScreen, { ...options, onSize });
}
