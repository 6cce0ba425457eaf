import { ExitCode } from '../commands/command-error.js';
import { allCommands } from '../commands/registry.js';
import { loadRenderer } from '../commands/render/render.js';
import type { ShellOptions } from '../commands/shell-options.js';
import { ShellSession } from '../commands/shell-session.js';
import { HistoryFile, historyFile } from './history.js';
import { openKeyboard } from './keyboard.js';
import { promptSpans } from './prompt.js';
import { type Frame, repairAfterResize } from './resize-repair.js';
import { ShellDriver } from './shell-driver.js';
import { paintSpans } from './theme.js';
import { makeVocabulary } from './vocabulary.js';

/** Frames a second: a key is drawn at once, and echo and output never stand beside an old line. */
const MAX_FPS = 1000;
const LEAVING_SIGNALS = ['SIGTERM', 'SIGHUP'] as const;
const CLEAR_ROW = '\r\x1b[2K';

/**
 * The interactive shell, on the terminal of this process, until somebody leaves it. The terminal is
 * given back as it was, and the session is closed.
 * @returns the exit code
 */
export async function startShell(options: ShellOptions): Promise<number> {
  const session = new ShellSession(options.session);
  try {
    return await runShell(session, options);
  } finally {
    await session.close();
  }
}

async function runShell(session: ShellSession, options: ShellOptions): Promise<number> {
  const driver = await makeDriver(session, options);
  const { stdin, stdout } = process;
  const leave = () => driver.dispatch({ type: 'leave' });
  const keyboard = openKeyboard(stdin, stdout, (key) => driver.press(key), leave);
  const signals = heedSignals(driver);
  let screen: { close(): void } | undefined;
  try {
    // Ink takes longer to load than all else: until then, a first prompt, and keys are kept.
    stdout.write(paintSpans(promptSpans(driver.state.connection, stdout.columns)));
    const left = driver.run();
    const ink = await loadInk();
    stdout.write(CLEAR_ROW);
    screen = openScreen(driver, ink);
    await left;
  } finally {
    screen?.close();
    keyboard.close();
    signals.close();
  }
  return signals.exitCode();
}

async function makeDriver(
  session: ShellSession,
  { format, greeting }: ShellOptions,
): Promise<ShellDriver> {
  const [commands, renderer] = await Promise.all([
    allCommands(),
    loadRenderer(format, { isTerminal: true }),
  ]);
  const file = historyFile(process.env);
  const driver = new ShellDriver({
    session,
    renderer,
    vocabulary: makeVocabulary(commands),
    historyFile: file === undefined ? undefined : new HistoryFile(file),
  });
  if (greeting !== undefined) driver.print([{ text: greeting, tone: 'dim' }]);
  return driver;
}

/** A signal that ends a process ends the shell in order; SIGINT is what Ctrl-C is. */
function heedSignals(driver: ShellDriver) {
  let exitCode: number = ExitCode.ok;
  const terminate = () => {
    exitCode = ExitCode.interrupted;
    driver.dispatch({ type: 'leave' });
  };
  const interrupt = () => driver.press({ type: 'key', name: 'ctrl-c' });
  for (const signal of LEAVING_SIGNALS) process.on(signal, terminate);
  process.on('SIGINT', interrupt);
  return {
    exitCode: () => exitCode,
    close: () => {
      for (const signal of LEAVING_SIGNALS) process.off(signal, terminate);
      process.off('SIGINT', interrupt);
    },
  };
}

type LoadedInk = Awaited<ReturnType<typeof loadInk>>;

/** Ink draws nothing live where CI is set; but whoever sits at a terminal is no CI. */
async function loadInk() {
  const { CI, CONTINUOUS_INTEGRATION } = process.env;
  delete process.env['CI'];
  delete process.env['CONTINUOUS_INTEGRATION'];
  try {
    const [{ createElement }, { render }, { App }] = await Promise.all([
      import('react'),
      import('ink'),
      import('./app.js'),
    ]);
    return { createElement, render, App };
  } finally {
    if (CI !== undefined) process.env['CI'] = CI;
    if (CONTINUOUS_INTEGRATION !== undefined) {
      process.env['CONTINUOUS_INTEGRATION'] = CONTINUOUS_INTEGRATION;
    }
  }
}

function openScreen(
  driver: ShellDriver,
  { createElement, render, App }: LoadedInk,
): { close(): void } {
  const { stdout } = process;
  let frame: Frame | undefined;
  const onDraw = (drawn: Frame) => {
    frame = drawn;
  };
  const ink = render(createElement(App, { driver, onDraw }), {
    exitOnCtrlC: false,
    patchConsole: false,
    maxFps: MAX_FPS,
  });
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
      // Nothing of the live part stays behind.
      ink.clear();
      ink.unmount();
    },
  };
}
