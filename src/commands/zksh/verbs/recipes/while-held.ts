import { RecipeError } from '../../../../recipes/errors.js';
import { CommandError, ExitCode } from '../../../program/command-error.js';
import type { CommandContext } from '../../engine/command.js';
import { runChild } from '../../engine/process.js';
import type { Result } from '../../results/result.js';

/** What a command runs under. */
export interface Holding {
  readonly signal: AbortSignal;
  /** None where there is nothing to fence. */
  readonly fencingToken?: bigint;
  release(): Promise<void>;
}

export interface HeldRun {
  readonly path: string;
  readonly words: readonly string[];
}

const LONGEST_GRACE_MS = 5000;

/**
 * Runs a command while something is held, and gives its exit code. When what is held is lost, the
 * command is told to end: a hold counts as lost a sixth of the session's timeout before anybody
 * else can have it, and the command has no longer than that.
 */
export async function runWhileHeld(
  context: CommandContext,
  { path, words }: HeldRun,
  { signal, fencingToken, release }: Holding,
): Promise<Result> {
  try {
    const exitCode = await runChild(context, {
      words,
      env: {
        ZKSH_PATH: path,
        ...(fencingToken === undefined ? {} : { ZKSH_FENCING_TOKEN: String(fencingToken) }),
      },
      signal: AbortSignal.any([signal, context.signal]),
      graceMs: Math.min(LONGEST_GRACE_MS, context.client.sessionTimeoutMs / 6),
    });
    if (signal.aborted) throw signal.reason;
    context.signal.throwIfAborted();
    // In a script it is zksh's own; at the prompt nobody would see it.
    if (context.child === undefined && exitCode !== 0) {
      await context.emit({ kind: 'message', text: `exit code ${exitCode}`, fields: { exitCode } });
    }
    return { kind: 'ran', command: words, exitCode };
  } finally {
    await release();
  }
}

/** Gives errors of a recipe, and an interruption, the words and exit codes of a command. */
export async function inRecipe<T>(context: CommandContext, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (context.signal.aborted) {
      throw new CommandError('interrupted', {
        code: 'INTERRUPTED',
        exitCode: ExitCode.interrupted,
      });
    }
    if (error instanceof RangeError) {
      throw new CommandError(error.message, { code: 'USAGE', exitCode: ExitCode.usage });
    }
    if (!(error instanceof RecipeError)) throw error;
    const { code, message } = error;
    const isGone = code === 'ELOST' || code === 'ETIMEDOUT';
    const exitCode = isGone ? ExitCode.connection : ExitCode.failed;
    throw new CommandError(message, { code, exitCode, hint: HINTS[code], cause: error });
  }
}

const HINTS: Partial<Record<RecipeError['code'], string>> = {
  ETIMEDOUT: '--wait sets how long to wait; without it there is no end',
};
