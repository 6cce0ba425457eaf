// A real terminal for tests: tmux, detached, on its own socket. A test asserts the screen as a
// user sees it, with escapes interpreted.
import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'uvu';
import { makeTempDir } from '../machine/temp-dir.js';
import { waitFor } from '../wait-for.js';

const run = promisify(execFile);
const hasTmux = spawnSync('tmux', ['-V']).status === 0;
if (!hasTmux) {
  if (process.env['ZK_ORACLE'] === 'required') {
    throw new Error("ZK_ORACLE=required, but Debian's tmux is not installed");
  }
  console.log("skipped: tests in a terminal: Debian's tmux is not installed");
}

/** Registers a test that needs a terminal. Without tmux, the test counts as skipped. */
export const terminalTest = hasTmux ? test : test.skip;

/**
 * The environment of a user: without the color settings of the test runner, and without an outer
 * tmux.
 */
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
  /** The rows of the screen without trailing blanks. */
  screen(): Promise<readonly string[]>;
  /** The same with the escape sequences for color. */
  styled(): Promise<readonly string[]>;
  /** The screen and its scrollback. Soft-wrapped rows are joined. */
  transcript(): Promise<readonly string[]>;
  cursor(): Promise<{ readonly x: number; readonly y: number }>;
  /** Types text literally. */
  type(text: string): Promise<void>;
  /** Presses keys by tmux's names: "Enter", "C-c", "Up", "M-b". */
  press(...keys: string[]): Promise<void>;
  /** Pastes as a mouse does: bracketed, if the program requested that. */
  paste(text: string): Promise<void>;
  resize(columns: number, rows: number): Promise<void>;
  /**
   * Waits until a new row matches, on the screen or in the scrollback, and returns the lowest. A
   * row is new if it changed since the first key, paste, or resize after the last wait, or since
   * the mark.
   */
  waitForRow(pattern: RegExp): Promise<string>;
  /** Only rows after this call count as new. For changes of the screen without a key. */
  mark(): Promise<void>;
  /** Waits until the whole screen satisfies `condition`. */
  waitForScreen(what: string, condition: (rows: readonly string[]) => boolean): Promise<void>;
  /** Waits for the end of the program. Returns its exit status. */
  exitStatus(): Promise<number>;
  /** Ends the program, if it still runs, and the terminal. */
  close(): Promise<void>;
}

/** Starts a program in a terminal that stays open after the program has ended. */
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
  // The first key after a wait makes its rows old. Later keys do not, because the effect of a key
  // may appear before the next key.
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
      const row = await until(`a new row that matches ${pattern}`, async () => {
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

/** Waits for the end of the program of a terminal. Returns its exit status. */
async function exitStatusOf(tmux: (...args: string[]) => Promise<string>): Promise<number> {
  const text = await waitFor('the program to end', async () => {
    const format = '#{pid} #{pane_dead} #{pane_dead_status}';
    const text = await tmux('display-message', '-p', format);
    // The terminal ends a moment before the exit status is available.
    const [pid, isDead, status = ''] = text.trim().split(' ');
    // tmux 3.3 may miss the signal of the process, and would wait forever.
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
