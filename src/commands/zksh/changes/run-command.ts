import type { ParsedArguments } from '../../machine/declaration.js';
import type { Result } from '../../results/result.js';
import type { Command, CommandContext } from '../engine/command.js';
import { deriveContext } from '../engine/derive-context.js';
import type { CommandChanges } from '../session/change-journal.js';

/** A dry run changes nothing. */
export function isChanging(command: Command, parsed: ParsedArguments): boolean {
  if (command.isMutating !== true || command.isReading?.(parsed) === true) return false;
  return parsed.options['dry-run'] !== true;
}

export async function runCommand(
  command: Command,
  context: CommandContext,
  parsed: ParsedArguments,
  changes: CommandChanges | undefined,
): Promise<Result> {
  const isGenericDryRun = command.hasGenericDryRun === true && parsed.options['dry-run'] === true;
  const ran = isGenericDryRun
    ? await dryRunContext(context)
    : changes !== undefined && context.isRecorded !== true && isChanging(command, parsed)
      ? await recordedContext(context, command, parsed, changes)
      : context;
  const hasPattern = Object.values(parsed.tokens).some(({ pattern }) => pattern !== undefined);
  const result = hasPattern ? await runOnPattern(command, ran, parsed) : undefined;
  const done = result ?? (await command.run(ran, parsed));
  return isGenericDryRun ? { kind: 'end' } : done;
}

/** The client of this context reports changes instead of sending them. */
async function dryRunContext(context: CommandContext): Promise<CommandContext> {
  const { dryRunClient } = await import('../session/dry-run-client.js');
  const client = dryRunClient(context.client, (result) => void context.emit(result));
  return deriveContext(context, { client });
}

async function recordedContext(
  context: CommandContext,
  command: Command,
  parsed: ParsedArguments,
  changes: CommandChanges,
): Promise<CommandContext> {
  const { recorderOf } = await import('./record-changes.js');
  const record = recorderOf(command, parsed, changes);
  if (record === undefined) return context;
  return deriveContext(context, { client: () => record(context.client), isRecorded: true });
}

async function runOnPattern(
  command: Command,
  context: CommandContext,
  parsed: ParsedArguments,
): Promise<Result | undefined> {
  const { globArgument, runOnPaths } = await import('../paths/run-on-paths.js');
  const argument = globArgument(command, parsed);
  return argument && runOnPaths(context, command, parsed, argument);
}
