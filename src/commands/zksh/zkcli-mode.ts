import { ExitCode } from '../program/exit-status.js';
import { canDraw } from '../terminal/ops-terminal.js';
import { closeOutput, Output } from '../terminal/output.js';
import { parseCliCommandLine } from '../zkcli/command-line.js';
import { runZkCli } from '../zkcli/main.js';

/** Uses the streams of this process. @param startShell starts the interactive shell */
export async function runZkCliMode(
  argv: readonly string[],
  onSignals: (abort: AbortController) => () => void,
  startShell: (target: string) => Promise<number>,
): Promise<number> {
  const { command, server } = parseCliCommandLine(argv);
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY && canDraw(process.env);
  if (command.length === 0 && isTerminal) return startShell(server);
  const abort = new AbortController();
  const output = new Output(process.stdout);
  output.ended.addEventListener('abort', () => abort.abort());
  const release = onSignals(abort);
  try {
    const code = await runZkCli(argv, {
      input: process.stdin,
      signal: abort.signal,
      out: (text) => void output.write(text),
      err: (text) => void process.stderr.write(text),
    });
    const ended = abort.signal.aborted ? ExitCode.interrupted : code;
    return await closeOutput(output, 'zksh', ended, ExitCode.failed);
  } finally {
    release();
  }
}
