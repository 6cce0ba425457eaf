import { TimeoutError } from '../../../../client/base/errors.js';
import { RecipeError } from '../../../../recipes/base/errors.js';
import { CommandError } from '../../../program/command-error.js';
import { ExitCode } from '../../../program/exit-status.js';
import type { Result } from '../../../results/result.js';
import type { CommandContext } from '../../engine/command.js';
import { runChild } from '../../engine/process.js';

/** The lock, permit, or membership that a command needs. */
export interface Holding {
  readonly signal: AbortSignal;
  /** Undefined for recipes without fencing. */
  readonly fencingToken?: bigint;
  release(): Promise<void>;
}

export interface HeldRun {
  readonly path: string;
  readonly words: readonly string[];
}

const LONGEST_GRACE_MS = 5000;

/**
 * Runs a command while holding a lock or the like, and ends it when the hold is lost. A hold counts
 * as lost a sixth of the session timeout before another client can get it: this is the grace period
 * of the command.
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
    // A script exits with this status, but the prompt has to print it.
    if (context.child === undefined && exitCode !== 0) {
      await context.emit({
        kind: 'message',
        text: `exit status ${exitCode}`,
        fields: { exitCode },
      });
    }
    return { kind: 'ran', command: words, exitCode };
  } finally {
    await release();
  }
}

/** Converts errors of a recipe, and an interruption, to command errors. */
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
    const isLate = error instanceof TimeoutError;
    if (!isLate && !(error instanceof RecipeError)) throw error;
    const { code, message } = error;
    const isGone = code === 'ELOST' || isLate;
    const exitCode = isGone ? ExitCode.connection : ExitCode.failed;
    const hint = isLate ? 'raise --wait, or omit it to wait without limit' : undefined;
    throw new CommandError(message, { code, exitCode, hint, cause: error });
  }
}
