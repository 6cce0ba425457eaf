import { createElement } from 'react';
import { ExitCode } from '../commands/command-error.js';
import { allCommands } from '../commands/registry.js';
import { loadRenderer } from '../commands/render/render.js';
import type { ShellOptions } from '../commands/shell-options.js';
import { HistoryFile, historyFile } from './history.js';
import { openKeyboard } from './keyboard.js';
import { type Frame, repairAfterResize } from './resize-repair.js';
import { ShellDriver } from './shell-driver.js';
import { makeVocabulary } from './vocabulary.js';

/** Frames a second: a key is drawn at once, and echo and output never stand beside an old line. */
const MAX_FPS = 1000;

/**
 * The interactive shell, on the terminal of this process, until somebody leaves it. The terminal is
 * given back as it was, and `options.session` is the caller's to close.
 * @returns the exit code
 */
export async function startShell(options: ShellOptions): Promise<number> {
  const { session, format, greeting } = options;
  const { stdin, stdout } = process;
  const file = historyFile(process.env);
  const [commands, renderer, [{ render }, { App }]] = await Promise.all([
    allCommands(),
    loadRenderer(format, { isTerminal: true }),
    loadInk(),
  ]);
  const driver = new ShellDriver({
    session,
    renderer,
    vocabulary: makeVocabulary(commands),
    historyFile: file === undefined ? undefined : new HistoryFile(file),
  });
  let exitCode: number = ExitCode.ok;
  const leave = () => driver.dispatch({ type: 'leave' });
  const terminate = () => {
    exitCode = ExitCode.interrupted;
    leave();
  };
  const interrupt = () => driver.press({ type: 'key', name: 'ctrl-c' });
  const keyboard = openKeyboard(stdin, stdout, (key) => driver.press(key), leave);
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
  for (const signal of LEAVING_SIGNALS) process.on(signal, terminate);
  process.on('SIGINT', interrupt);
  try {
    if (greeting !== undefined) driver.print([{ text: greeting, tone: 'dim' }]);
    await driver.run();
  } finally {
    ink.clear();
    ink.unmount();
    keyboard.close();
    stdout.off('resize', repair);
    for (const signal of LEAVING_SIGNALS) process.off(signal, terminate);
    process.off('SIGINT', interrupt);
  }
  return exitCode;
}

const LEAVING_SIGNALS = ['SIGTERM', 'SIGHUP'] as const;

/** Ink draws nothing live where CI is set; but whoever sits at a terminal is no CI. */
async function loadInk() {
  const { CI, CONTINUOUS_INTEGRATION } = process.env;
  delete process.env['CI'];
  delete process.env['CONTINUOUS_INTEGRATION'];
  try {
    return await Promise.all([import('ink'), import('./app.js')]);
  } finally {
    if (CI !== undefined) process.env['CI'] = CI;
    if (CONTINUOUS_INTEGRATION !== undefined) {
      process.env['CONTINUOUS_INTEGRATION'] = CONTINUOUS_INTEGRATION;
    }
  }
}
