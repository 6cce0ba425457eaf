// What Ink draws on: the line below the scrollback, or the browser on a screen of its own. One of
// them at a time, since both have the terminal to themselves.
import type { ReactNode } from 'react';
import type { BrowserDriver } from './browser/browser-driver.js';
import type { ShellDriver } from './shell-driver.js';
import { loadInk } from './terminal/load-ink.js';
import { type Frame, repairAfterResize } from './terminal/resize-repair.js';

/** Frames a second: a key is drawn at once, and echo and output never stand beside an old line. */
const MAX_FPS = 1000;
const CLEAR = '\x1b[2J\x1b[H';
const ALTERNATE_SCREEN = `\x1b[?1049h${CLEAR}`;
const MAIN_SCREEN = '\x1b[?1049l';

interface Screen {
  close(): void;
}

type LoadedInk = Awaited<ReturnType<typeof loadScreens>>;

export function loadScreens() {
  return loadInk(async () => {
    const parts = [import('./app.js'), import('./browser/browser-app.js')] as const;
    const [{ App }, { BrowserApp }] = await Promise.all(parts);
    return { App, BrowserApp };
  });
}

/**
 * Draws the shell, and its browser while there is one; nothing while another program has it all.
 * @param lendKeyboard gives a function that takes the keyboard back
 */
export function openScreens(
  driver: ShellDriver,
  ink: LoadedInk,
  lendKeyboard: () => () => void,
): Screen {
  let browser: BrowserDriver | undefined;
  let isLent = false;
  let screen = openLine(driver, ink);
  const unsubscribe = driver.subscribe(() => {
    if (driver.browser === browser && driver.isLent === isLent) return;
    ({ browser, isLent } = driver);
    screen.close();
    if (isLent) screen = { close: lendKeyboard() };
    else screen = browser === undefined ? openLine(driver, ink) : openBrowserScreen(browser, ink);
  });
  return {
    close: () => {
      unsubscribe();
      screen.close();
    },
  };
}

function openLine(driver: ShellDriver, ink: LoadedInk): Screen {
  const { stdout } = process;
  let frame: Frame | undefined;
  const onDraw = (drawn: Frame) => {
    frame = drawn;
  };
  const drawn = draw(ink, ink.createElement(ink.App, { driver, onDraw }));
  let { columns } = stdout;
  const repair = () => {
    if (frame !== undefined && stdout.columns < columns) {
      stdout.write(repairAfterResize(frame, stdout.columns));
    }
    columns = stdout.columns;
  };
  // Before Ink's own listener.
  stdout.prependListener('resize', repair);
  return {
    close: () => {
      stdout.off('resize', repair);
      drawn.close();
    },
  };
}

function openBrowserScreen(driver: BrowserDriver, ink: LoadedInk): Screen {
  const { stdout } = process;
  stdout.write(ALTERNATE_SCREEN);
  const drawn = draw(ink, ink.createElement(ink.BrowserApp, { driver }));
  // Nothing scrolls off here, so all of it is drawn anew. Before Ink's own listener.
  const clear = () => stdout.write(CLEAR);
  stdout.prependListener('resize', clear);
  return {
    close: () => {
      stdout.off('resize', clear);
      drawn.close();
      stdout.write(MAIN_SCREEN);
    },
  };
}

function draw({ render }: LoadedInk, node: ReactNode): Screen {
  const ink = render(node, { exitOnCtrlC: false, patchConsole: false, maxFps: MAX_FPS });
  return {
    close: () => {
      // Nothing of the live part stays behind.
      ink.clear();
      ink.unmount();
    },
  };
}
