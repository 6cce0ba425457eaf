import { setTimeout as delay } from 'node:timers/promises';
import type { OpsResult } from '../../commands/ensemble/verdict/result.js';
import type { LiveSession, StartLive } from '../../commands/zkops/calls/live.js';
import { openKeyboard } from '../terminal/keyboard.js';
import { loadInk } from '../terminal/load-ink.js';
import { TopDriver } from './top-driver.js';
import { topScreen } from './top-screen.js';
import { startState, step } from './top-state.js';

/** The other screen of the terminal: what was there before comes back. */
const ENTER_SCREEN = '\x1b[?1049h\x1b[H';
const LEAVE_SCREEN = '\x1b[?1049l';
const CLEAR_SCREEN = '\x1b[2J\x1b[H';
const LEAVING_SIGNALS = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;
/** Members that fit on a page without end. */
const BATCH_ROWS = 100_000;

/** Batches where nothing can be drawn on, and where they are asked for. */
export const startTop: StartLive = (session) =>
  session.isBatch ? printBatch(session) : drawLive(session);

/** The first look has no rates: it is taken, and not printed. */
async function printBatch(session: LiveSession): Promise<OpsResult | undefined> {
  const { intervalMs, write, print, count, width } = session;
  let state = startState(session.sort, session.filter);
  const look = async () => {
    const result = await session.look(state.earlier);
    ({ state } = step(state, { type: 'looked', result }));
    return result;
  };
  let last = await look();
  for (let printed = 0; printed !== count; printed += 1) {
    await delay(intervalMs);
    last = await look();
    if (print !== undefined) {
      print(last);
      continue;
    }
    const size = { columns: width, rows: BATCH_ROWS };
    // The keys at the bottom are for whoever can press them.
    const rows = topScreen(state, size, intervalMs).slice(0, -1);
    const text = rows.map((row) => row.map((span) => span.text).join(''));
    const isFirst = printed === 0;
    write(`${isFirst ? '' : '\n'}${text.map((line) => `${line.trimEnd()}\n`).join('')}`);
  }
  return last;
}

async function drawLive(session: LiveSession): Promise<OpsResult | undefined> {
  const driver = new TopDriver(session);
  const { stdin, stdout } = process;
  const leave = (): void => driver.leave();
  // Before the drawing is loaded, which takes a moment: keys are not lost.
  const keyboard = openKeyboard(stdin, stdout, (key) => driver.press(key), leave);
  for (const signal of LEAVING_SIGNALS) process.once(signal, leave);
  stdout.write(ENTER_SCREEN);
  let screen: { close(): void } | undefined;
  try {
    driver.start();
    screen = await openScreen(driver);
    await driver.done;
  } finally {
    screen?.close();
    keyboard.close();
    stdout.write(LEAVE_SCREEN);
    for (const signal of LEAVING_SIGNALS) process.off(signal, leave);
  }
  return driver.state.result;
}

async function openScreen(driver: TopDriver): Promise<{ close(): void }> {
  const { createElement, render, TopApp } = await loadInk(() => import('./top-app.js'));
  const { stdout } = process;
  const ink = render(createElement(TopApp, { driver }), {
    exitOnCtrlC: false,
    patchConsole: false,
  });
  let { columns } = stdout;
  // A narrower terminal breaks the rows that stand there, and Ink would not know where they are.
  const repair = () => {
    if (stdout.columns < columns) stdout.write(CLEAR_SCREEN);
    columns = stdout.columns;
  };
  stdout.prependListener('resize', repair);
  return {
    close: () => {
      stdout.off('resize', repair);
      ink.unmount();
    },
  };
}
