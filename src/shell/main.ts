// The way to the first prompt: only what it takes to draw one and to keep what is typed is loaded
// before it.
import { ExitCode } from '../commands/program/command-error.js';
import { ChangeJournal } from '../commands/zksh/session/change-journal.js';
import type { ShellOptions } from '../commands/zksh/session/shell-options.js';
import { ShellSession } from '../commands/zksh/session/shell-session.js';
import { makeTraceSwitch, traceOption } from '../commands/zksh/session/trace-switch.js';
import { promptSpans, serversOf } from './line/prompt.js';
import type { Key } from './terminal/key-decoder.js';
import { openKeyboard } from './terminal/keyboard.js';
import { paintSpans } from './terminal/theme.js';

/**
 * The interactive shell, on the terminal of this process, until somebody leaves it. The terminal is
 * given back as it was, and the session is closed.
 * @returns the exit code
 */
export async function startShell(options: ShellOptions): Promise<number> {
  const session = makeSession(options);
  const { isReadOnly, isDryRun, clientKind } = session;
  // The native client reads no ACL, and sends no transaction to put things back with.
  const isKept = !isReadOnly && !isDryRun && clientKind === 'builtin';
  if (isKept) session.journal = new ChangeJournal();
  try {
    return await showShell(session, options);
  } finally {
    await session.close();
  }
}

function makeSession({ session: asked, isTracing = false }: ShellOptions): ShellSession {
  if (asked.clientKind === 'native') return new ShellSession(asked);
  const tracer = makeTraceSwitch(isTracing);
  const session = new ShellSession({
    ...asked,
    client: { ...asked.client, ...traceOption(tracer) },
  });
  session.tracer = tracer;
  return session;
}

async function showShell(session: ShellSession, options: ShellOptions): Promise<number> {
  const { stdin, stdout } = process;
  const early: Key[] = [];
  let hasEnded = false;
  let onKey = (key: Key): void => void early.push(key);
  let onEnd = (): void => {
    hasEnded = true;
  };
  const exitCode = heedSignals(
    () => onKey({ type: 'key', name: 'ctrl-c' }),
    () => onEnd(),
  );
  const keyboard = openKeyboard(
    stdin,
    stdout,
    (key) => onKey(key),
    () => onEnd(),
  );
  try {
    stdout.write(firstPrompt(session, stdout.columns));
    const { runShell } = await import('./run-shell.js');
    await runShell(session, options, {
      connect: (hearKey, hearEnd) => {
        onKey = hearKey;
        onEnd = hearEnd;
        for (const key of early) hearKey(key);
        if (hasEnded) hearEnd();
      },
      lend: () => keyboard.lend(),
    });
  } finally {
    keyboard.close();
  }
  return exitCode();
}

/**
 * A signal that ends a process ends the shell in order; SIGINT is what Ctrl-C is. They stay heeded:
 * a terminal that goes away sends more than one SIGHUP, and the session is still to be closed when
 * the first has ended the shell.
 * @returns what tells the exit code
 */
function heedSignals(interrupt: () => void, end: () => void): () => number {
  let exitCode: number = ExitCode.ok;
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      exitCode = ExitCode.interrupted;
      end();
    });
  }
  process.on('SIGINT', interrupt);
  return () => exitCode;
}

function firstPrompt({ target, chroot, cwd }: ShellSession, columns: number): string {
  const server = serversOf(target);
  return paintSpans(promptSpans({ server, state: 'connecting', chroot, cwd }, columns));
}
