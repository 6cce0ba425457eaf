// A real terminal for tests: tmux, detached, on a socket of its own. What a test asserts is the
// screen as a person would see it, escapes interpreted and all.
import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'uvu';
import { makeTempDir } from './temp-dir.js';
import { waitFor } from './wait-for.js';

const run = promisify(execFile);
const hasTmux = spawnSync('tmux', ['-V']).status === 0;
if (!hasTmux) {
  if (process.env['ZK_ORACLE'] === 'required') {
    throw new Error("ZK_ORACLE=required, but Debian's tmux is not installed");
  }
  console.log("skipped: tests in a terminal: Debian's tmux is not installed");
}

/** Registers a test that needs a terminal; without tmux it counts as skipped. */
export const terminalTest = hasTmux ? test : test.skip;

/** A person's: without what the test runner says about colours, and no tmux around it. */
const ENVIRONMENT = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/COLOR|^TMUX|^CI$/.test(name)),
);

export interface TerminalOptions {
  /** The program and its arguments. */
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Default 80. */
  readonly columns?: number;
  /** Default 24. */
  readonly rows?: number;
}

export interface Terminal {
  /** The rows of the screen without blanks at their ends. */
  screen(): Promise<readonly string[]>;
  /** The same with the sequences that colour it. */
  styled(): Promise<readonly string[]>;
  /** The screen and all that scrolled off it; soft-wrapped rows are joined again. */
  transcript(): Promise<readonly string[]>;
  cursor(): Promise<{ readonly x: number; readonly y: number }>;
  /** Types text literally. */
  type(text: string): Promise<void>;
  /** Presses keys by tmux's names: "Enter", "C-c", "Up", "M-b". */
  press(...keys: string[]): Promise<void>;
  /** As a mouse does it: bracketed, when the program asked for that. */
  paste(text: string): Promise<void>;
  resize(columns: number, rows: number): Promise<void>;
  /**
   * Waits until a row matches, on the screen or scrolled off it, that is new: what stood in its
   * place before the first key, paste or resize after the last wait, or at the mark, does not
   * count. Gives the lowest.
   */
  waitForRow(pattern: RegExp): Promise<string>;
  /** From now on only what comes is new: before something else than a key changes the screen. */
  mark(): Promise<void>;
  /** Waits until the screen as a whole satisfies `condition`. */
  waitForScreen(what: string, condition: (rows: readonly string[]) => boolean): Promise<void>;
  /** What the program ended with; waits for it. */
  exitStatus(): Promise<number>;
  /** Ends the program, if it still runs, and the terminal. */
  close(): Promise<void>;
}

/** Starts a program in a terminal, which stays to be looked at when the program has ended. */
export async function startTerminal(options: TerminalOptions): Promise<Terminal> {
  const home = makeTempDir('terminal');
  const socket = join(home.path, 'tmux');
  const tmux = async (...args: string[]) =>
    (await run('tmux', ['-S', socket, '-f', '/dev/null', ...args], { env: ENVIRONMENT })).stdout;
  const { columns = 80, rows = 24, env = {} } = options;
  const variables = Object.entries({ LANG: 'C.UTF-8', ...env });
  await tmux(
    ...['-u', 'new-session', '-d', '-x', `${columns}`, '-y', `${rows}`],
    ...variables.flatMap(([name, value]) => ['-e', `${name}=${value}`]),
    // Waits until remain-on-exit is set: the program may end at once.
    ...['sh', '-c', 'tmux -S "$0" wait-for set && exec "$@"', socket, ...options.command],
    ...[';', 'set-option', '-g', 'remain-on-exit', 'on'],
    ...[';', 'set-option', '-g', 'status', 'off'],
    ...[';', 'resize-window', '-x', `${columns}`, '-y', `${rows}`],
    ...[';', 'wait-for', '-S', 'set'],
  );
  const screen = async () => trimmed(await tmux('capture-pane', '-p'));
  const until = async <T>(what: string, look: () => Promise<T>): Promise<NonNullable<T>> => {
    try {
      return await waitFor(what, look);
    } catch (error) {
      const shown = (await screen().catch(() => ['(no screen)'])).join('\n');
      throw new Error(`waited for ${what}, but the screen is:\n${shown}`, { cause: error });
    }
  };
  const everything = async () => trimmed(await tmux('capture-pane', '-p', '-S', '-'));
  let seen: readonly string[] = [];
  let isMarkDue = true;
  const mark = async () => {
    seen = await everything();
    isMarkDue = false;
  };
  // What a wait has found is stale for what is done after it, and only that: the effect of a key
  // may come before the next key.
  const beforeInput = async () => {
    if (isMarkDue) await mark();
  };
  return {
    screen,
    styled: async () => trimmed(await tmux('capture-pane', '-p', '-e')),
    transcript: async () => trimmed(await tmux('capture-pane', '-p', '-J', '-S', '-')),
    cursor: async () => {
      const text = await tmux('display-message', '-p', '#{cursor_x} #{cursor_y}');
      const [x = Number.NaN, y = Number.NaN] = text.trim().split(' ').map(Number);
      return { x, y };
    },
    mark,
    type: async (text) => {
      await beforeInput();
      await tmux('send-keys', '-l', '--', text);
    },
    press: async (...keys) => {
      await beforeInput();
      await tmux('send-keys', ...keys);
    },
    paste: async (text) => {
      await beforeInput();
      await tmux('set-buffer', '--', text, ';', 'paste-buffer', '-p');
    },
    resize: async (width, height) => {
      await beforeInput();
      await tmux('resize-window', '-x', `${width}`, '-y', `${height}`);
    },
    waitForRow: async (pattern) => {
      const row = await until(`a new row like ${pattern}`, async () => {
        const isNew = (row: string, at: number) => row !== seen[at];
        return (await everything()).filter(isNew).findLast((row) => pattern.test(row));
      });
      isMarkDue = true;
      return row;
    },
    waitForScreen: async (what, condition) => {
      await until(what, async () => condition(await screen()));
      isMarkDue = true;
    },
    exitStatus: () => exitStatusOf(tmux),
    close: async () => {
      await tmux('kill-server').catch(() => undefined);
      home.remove();
    },
  };
}

/** What the program of a terminal ended with; waits for it. */
async function exitStatusOf(tmux: (...args: string[]) => Promise<string>): Promise<number> {
  const text = await waitFor('the program to end', async () => {
    const format = '#{pid} #{pane_dead} #{pane_dead_status}';
    const text = await tmux('display-message', '-p', format);
    // The end of the terminal is seen a moment before the status of the process is there.
    const [pid, isDead, status = ''] = text.trim().split(' ');
    // tmux 3.3 may miss the signal that tells it of the process, and would wait for ever.
    if (isDead === '1' && status === '') process.kill(Number(pid), 'SIGCHLD');
    return isDead === '1' && status !== '' ? status : undefined;
  });
  return Number(text);
}

function trimmed(text: string): readonly string[] {
  return text
    .replace(/\n+$/, '')
    .split('\n')
    .map((line) => line.trimEnd());
}
