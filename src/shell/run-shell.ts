import { ExitCode } from '../commands/command-error.js';
import { allCommands } from '../commands/registry.js';
import { loadRenderer } from '../commands/render/render.js';
import type { ShellOptions } from '../commands/shell-options.js';
import type { ShellSession } from '../commands/shell-session.js';
import { HistoryFile, historyFile } from './history.js';
import type { Key } from './key-decoder.js';
import { loadInk, openScreens } from './screens.js';
import { ShellDriver } from './shell-driver.js';
import { makeVocabulary } from './vocabulary.js';

const LEAVING_SIGNALS = ['SIGTERM', 'SIGHUP'] as const;
const CLEAR_ROW = '\r\x1b[2K';

/** What the terminal sent before and while all this was loaded. */
export interface Input {
  /** From now on, and first of all what is waiting, goes here. */
  connect(onKey: (key: Key) => void, onEnd: () => void): void;
}

/**
 * The shell behind its first prompt, until somebody leaves it.
 * @returns the exit code
 */
export async function runShell(
  session: ShellSession,
  options: ShellOptions,
  input: Input,
): Promise<number> {
  const driver = await makeDriver(session, options);
  const signals = heedSignals(driver);
  input.connect(
    (key) => driver.press(key),
    () => driver.dispatch({ type: 'leave' }),
  );
  let screen: { close(): void } | undefined;
  try {
    const left = driver.run();
    const ink = await loadInk();
    process.stdout.write(CLEAR_ROW);
    screen = openScreens(driver, ink);
    await left;
  } finally {
    screen?.close();
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
