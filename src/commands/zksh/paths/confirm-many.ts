import { CommandError } from '../../program/command-error.js';
import { counted } from '../../program/counted.js';
import { ExitCode } from '../../program/exit-status.js';
import type { CommandContext } from '../engine/command.js';

const SAMPLE_LENGTH = 5;

export interface ManyPaths {
  /** In the question: "Delete". */
  readonly verb: string;

  readonly paths: readonly string[];
  /** It must have --yes and --dry-run. */
  readonly command: string;
  /** The option that lists the paths; by default -n. */
  readonly listing?: string;
}

/** Shows the number of znodes and a sample, and asks. A script must pass --yes. */
export async function confirmMany(context: CommandContext, many: ManyPaths): Promise<void> {
  const { verb, paths, command, listing = '-n' } = many;
  if (!context.isInteractive) {
    const sample = paths.slice(0, SAMPLE_LENGTH).join(', ');
    const more = paths.length > SAMPLE_LENGTH ? ', ...' : '';
    throw new CommandError(`${command}: not confirmed: ${amountOf(paths)}: ${sample}${more}`, {
      code: 'UNCONFIRMED',
      exitCode: ExitCode.usage,
      hint: `pass --yes to skip the confirmation, or ${listing} to list all znodes`,
    });
  }
  if (await context.confirm(question(verb, paths))) return;
  throw new CommandError(`${command}: canceled`, { code: 'REFUSED' });
}

function question(verb: string, paths: readonly string[]): string {
  const sample = paths.slice(0, SAMPLE_LENGTH).join(', ');
  const rest = paths.length - SAMPLE_LENGTH;
  return `${verb} ${amountOf(paths)}: ${sample}${rest > 0 ? ` and ${rest} more` : ''}?`;
}

export function amountOf({ length }: readonly unknown[]): string {
  return counted(length, 'znode');
}
