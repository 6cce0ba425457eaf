import type { Op } from '../../../client/base/client.js';
import type { ParsedArguments } from '../../machine/declaration.js';
import { usageError } from '../../program/command-error.js';
import type { Command, CommandContext } from '../engine/command.js';

export async function toOp(
  command: Command,
  context: CommandContext,
  parsed: ParsedArguments,
): Promise<Op> {
  const isDryRun = parsed.options['dry-run'] === true;
  if (isDryRun) {
    throw usageError('--dry-run: not available in a transaction', parsed.tokens['dry-run']);
  }
  if (Object.values(parsed.tokens).some(({ pattern }) => pattern !== undefined)) {
    const { refusePattern } = await import('./run-on-paths.js');
    refusePattern(command, parsed, 'a transaction');
  }
  if (command.toOp === undefined) {
    throw usageError(`${command.name}: not available in a transaction`);
  }
  return command.toOp(context, parsed);
}
