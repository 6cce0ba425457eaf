// Startup until the first prompt: loads only modules that draw it or buffer input.
import { ExitCode } from '../commands/program/exit-status.js';
import { ChangeJournal } from '../commands/zksh/session/change-journal.js';
import type { ShellOptions } from '../commands/zksh/session/shell-options.js';
import { ShellSession } from '../commands/zksh/session/shell-session.js';
import { makeTraceSwitch, traceOption } from '../commands/zksh/session/trace-switch.js';
import { promptSpans, serversOf } from './line/prompt.js';
import { isCtrlZ, type Key } from './terminal/key-decoder.js';
import { openKeyboard } from './terminal/keyboard.js';
import { openSuspension } from './terminal/suspension.js';
import { sizeOf } from './terminal/terminal-size.js';
import { cutSpans, paintSpans } from './terminal/theme.js';

export async function startShell(options: ShellOptions): Promise<number> {
  const session = makeSession(options);
  const { isReadOnly, isDryRun, clientKind } = session;
  // Undo needs getACL and multi, which the native client lacks.
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
  const exitCode = handleSignals(
    () => onKey({ type: 'key', name: 'ctrl-c' }),
    () => onEnd(),
  );
  const drawPrompt = () => void stdout.write(firstPrompt(session, sizeOf(stdout).columns));
  let release = (use: () => void): void => {
    const takeBack = keyboard.lend();
    use();
    takeBack();
    drawPrompt();
  };
  const suspension = openSuspension((use) => release(use));
  const keyboard = openKeyboard(
    stdin,
    stdout,
    (key) => {
      if (isCtrlZ(key)) suspension.stopJob();
      else onKey(key);
    },
    () => onEnd(),
  );
  try {
    drawPrompt();
    const { runShell } = await import('./run-shell.js');
    await runShell(session, options, {
      connect: (hearKey, hearEnd) => {
        onKey = hearKey;
        onEnd = hearEnd;
        for (const key of early) hearKey(key);
        if (hasEnded) hearEnd();
      },
      connectStops: (releaseScreen) => {
        release = releaseScreen;
      },
      lend: () => keyboard.lend(),
    });
  } finally {
    suspension.close();
    keyboard.close();
  }
  return exitCode();
}

/** SIGINT acts like Ctrl-C. The handlers stay: a closing terminal sends several SIGHUPs. */
function handleSignals(interrupt: () => void, end: () => void): () => number {
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

/** One row, which the screen can replace without a trace. */
function firstPrompt({ target, chroot, cwd }: ShellSession, columns: number): string {
  const connection = { server: serversOf(target), state: 'connecting' as const, chroot, cwd };
  return `\r${paintSpans(cutSpans(promptSpans(connection, columns), columns - 1))}`;
}
