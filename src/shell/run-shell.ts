import { configFile } from '../commands/connecting/profiles.js';
import { loadRenderer } from '../commands/results/render.js';
import { isAsciiLocale } from '../commands/terminal/ascii-drawing.js';
import { pagerCommand } from '../commands/terminal/pager.js';
import { makeVocabulary } from '../commands/zksh/completing/vocabulary.js';
import {
  readAliases,
  readIsVi,
  readPager,
  readPromptRole,
} from '../commands/zksh/configuration.js';
import { plainReport } from '../commands/zksh/engine/error-report.js';
import { allCommands, findCommand, suggestCommand } from '../commands/zksh/running/registry.js';
import type { ShellOptions } from '../commands/zksh/session/shell-options.js';
import type { ShellSession } from '../commands/zksh/session/shell-session.js';
import { traceLine } from '../commands/zksh/session/trace-switch.js';
import { HistoryFile, historyFile } from './line/history.js';
import { ShellDriver } from './shell-driver.js';
import type { Key } from './terminal/key-decoder.js';
import { loadInk } from './terminal/load-ink.js';

const TABLE = { all: allCommands, find: findCommand, suggest: suggestCommand };
const CLEAR_ROW = '\r\x1b[2K';

export interface Input {
  /** Passes buffered input first. */
  connect(onKey: (key: Key) => void, onEnd: () => void): void;
  /** `release` gives the terminal back while the program is stopped. */
  connectStops(release: (use: () => void) => void): void;
  /** Lends the keyboard to another program. @returns a function that takes it back */
  lend(): () => void;
}

export async function runShell(
  session: ShellSession,
  options: ShellOptions,
  input: Input,
): Promise<void> {
  const driver = await makeDriver(session, options);
  input.connect(
    (key) => driver.press(key),
    () => driver.dispatch({ type: 'leave' }),
  );
  let screen: { close(): void } | undefined;
  try {
    const left = driver.run();
    const { openScreens } = await loadInk(() => import('./screens.js'));
    process.stdout.write(CLEAR_ROW);
    screen = openScreens(driver, () => input.lend());
    input.connectStops((use) => driver.terminal.release(use));
    await left;
  } finally {
    screen?.close();
  }
}

async function makeDriver(
  session: ShellSession,
  { format, greeting }: ShellOptions,
): Promise<ShellDriver> {
  const isAscii = isAsciiLocale(process.env);
  const [commands, renderer, pipeRenderer] = await Promise.all([
    allCommands(),
    loadRenderer(format, { isTerminal: true, isAscii, columns: () => process.stdout.columns }),
    loadRenderer(format, { isTerminal: false, isAscii }),
  ]);
  const file = historyFile(process.env);
  const faults: unknown[] = [];
  const keep = (error: unknown): undefined => {
    faults.push(error);
  };
  const config = configFile(process.env);
  const configured = await readPager(config).catch(keep);
  const isRoleShown = await readPromptRole(config).catch(keep);
  const isVi = (await readIsVi(config).catch(keep)) ?? false;
  const pager = pagerCommand(process.env, configured);
  const { stdout } = process;
  const driver = new ShellDriver({
    session,
    renderer,
    pipeRenderer,
    vocabulary: makeVocabulary(commands, session.aliases),
    historyFile: file === undefined ? undefined : new HistoryFile(file),
    isRoleShown: isRoleShown ?? true,
    isVi,
    columns: () => stdout.columns,
    paging: pager === undefined ? undefined : { command: pager, size: () => stdout },
  });
  const { tracer } = session;
  if (tracer !== undefined) {
    tracer.tell = (event) => driver.print([{ text: traceLine(event), tone: 'dim' }]);
  }
  const aliases = await readAliases(config, TABLE).catch(keep);
  for (const [name, line] of aliases ?? []) session.aliases.set(name, line);
  for (const sentence of new Set(faults.map((error) => plainReport(error).sentence))) {
    driver.print([{ text: sentence, tone: 'busy' }]);
  }
  if (greeting !== undefined) driver.print([{ text: greeting, tone: 'dim' }]);
  return driver;
}
