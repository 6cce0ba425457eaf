import { CommandError, ExitCode } from '../../program/command-error.js';
import type { CommandContext } from '../engine/command.js';

const SAMPLE_LENGTH = 5;

export interface ManyPaths {
  /** "delete": of the question, and of the command where it stands alone. */
  readonly verb: string;
  /** "deleted": "nothing was deleted". */
  readonly done: string;
  readonly paths: readonly string[];
  /** The command that has --yes and --dry-run. */
  readonly command: string;
  /** How it is told to list them; default -n. */
  readonly listing?: string;
}

/**
 * Says how many znodes are meant, with a sample, and asks; a script has to say --yes.
 * @throws CommandError UNCONFIRMED in a script, REFUSED where the answer is no
 */
export async function confirmMany(context: CommandContext, many: ManyPaths): Promise<void> {
  const { verb, done, paths, command, listing = '-n' } = many;
  if (!context.isInteractive) {
    const sample = paths.slice(0, SAMPLE_LENGTH).join(', ');
    const more = paths.length > SAMPLE_LENGTH ? ', ...' : '';
    throw new CommandError(
      `nothing was ${done}: it would be ${amountOf(paths)}: ${sample}${more}`,
      {
        code: 'UNCONFIRMED',
        exitCode: ExitCode.usage,
        hint: `${command} --yes does it without a question; ${listing} lists them all`,
      },
    );
  }
  if (await context.confirm(question(verb, paths))) return;
  throw new CommandError(`nothing was ${done}`, { code: 'REFUSED' });
}

function question(verb: string, paths: readonly string[]): string {
  const sample = paths.slice(0, SAMPLE_LENGTH).join('\n  ');
  const more =
    paths.length > SAMPLE_LENGTH ? `\n  ... and ${paths.length - SAMPLE_LENGTH} more` : '';
  return `${verb} ${amountOf(paths)}?\n  ${sample}${more}\n`;
}

export function amountOf({ length }: readonly unknown[]): string {
  return length === 1 ? '1 znode' : `${length} znodes`;
}
