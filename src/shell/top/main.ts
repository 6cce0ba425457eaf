import { setTimeout as delay } from 'node:timers/promises';
import type { OpsResult } from '../../commands/ensemble/verdict/result.js';
import type { LiveSession, StartLive } from '../../commands/zkops/calls/live.js';
import { isCtrlZ, type Key } from '../terminal/key-decoder.js';
import { openKeyboard } from '../terminal/keyboard.js';
import { loadInk } from '../terminal/load-ink.js';
import { openSuspension } from '../terminal/suspension.js';
import { TopDriver } from './top-driver.js';
import { topScreen } from './top-screen.js';
import { startState, step } from './top-state.js';

const LEAVING_SIGNALS = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;
const BATCH_ROWS = 100_000;

interface Screen {
  close(): void;
}

export const startTop: StartLive = (session) =>
  session.isBatch ? printBatch(session) : drawLive(session);

/** The first poll has no rates: not printed. */
async function printBatch(session: LiveSession): Promise<OpsResult | undefined> {
  const { intervalMs, write, print, count, width, outputEnded } = session;
  let state = startState(session);
  const poll = async () => {
    const result = await session.poll(state, outputEnded);
    ({ state } = step(state, { type: 'polled', result }));
    return result;
  };
  let last = await poll();
  for (let printed = 0; printed !== count; printed += 1) {
    await delay(intervalMs, undefined, { signal: outputEnded }).catch(() => undefined);
    if (outputEnded?.aborted === true) break;
    last = await poll();
    if (print !== undefined) {
      await print(last);
      continue;
    }
    const size = { columns: width, rows: BATCH_ROWS };
    // A batch has no keys.
    const rows = topScreen(state, size, false).slice(0, -1);
    const text = rows.map((row) => row.map((span) => span.text).join(''));
    const isFirst = printed === 0;
    await write(`${isFirst ? '' : '\n'}${text.map((line) => `${line.trimEnd()}\n`).join('')}`);
  }
  return last;
}

async function drawLive(session: LiveSession): Promise<OpsResult | undefined> {
  const driver = new TopDriver(session);
  const { stdin, stdout } = process;
  const leave = (): void => driver.leave();
  const suspension = openSuspension((use) => release(use));
  const onKey = (key: Key): void => (isCtrlZ(key) ? suspension.stopJob() : driver.press(key));
  const keyboard = openKeyboard(stdin, stdout, onKey, leave);
  for (const signal of LEAVING_SIGNALS) process.once(signal, leave);
  let open: (() => Screen) | undefined;
  let screen: Screen | undefined;
  const release = (use: () => void): void => {
    screen?.close();
    const takeBack = keyboard.lend();
    use();
    takeBack();
    screen = open?.();
  };
  try {
    driver.start();
    const { openTop } = await loadInk(() => import('./top-table.js'));
    open = () => openTop(driver);
    screen = open();
    await driver.done;
  } finally {
    suspension.close();
    screen?.close();
    keyboard.close();
    for (const signal of LEAVING_SIGNALS) process.off(signal, leave);
  }
  return driver.state.result;
}
