import { Command, CommanderError } from 'commander';
import { EXIT_CODES, EXIT_USAGE } from '../ensemble/exit-codes.js';
import { RunFault } from '../ensemble/run-fault.js';
import { UsageError } from '../ensemble/usage-error.js';
import { packageVersion } from '../program/package-version.js';
import { safeText } from '../terminal/sanitize.js';
import type { CliWorld } from './calls/cli-world.js';
import { declareVerb, EXIT_STATUS, type ParsedOptions } from './calls/options.js';
import { execute } from './execute.js';
import { TASKS, VERBS } from './index.js';

/** Carries out one call of zkops; gives the exit code and never throws for what a user typed. */
export async function main(args: readonly string[], world: CliWorld): Promise<number> {
  const task = TASKS.find(({ name }) => name === args[0]);
  if (task !== undefined && world.runTask !== undefined) return world.runTask(task, args.slice(1));
  let exitCode: number = EXIT_CODES.healthy;
  const program = new Command('zkops')
    .description('Asks every member of a ZooKeeper ensemble at once, and says how it is.')
    .version(packageVersion())
    .exitOverride()
    .configureOutput({
      writeOut: world.writeOut,
      writeErr: world.writeError,
      outputError: (text, write) => write(text.replace(/^error: /, 'zkops: ')),
    })
    .addHelpText('after', EXIT_STATUS);
  for (const verb of VERBS) {
    const command = program.command(verb.name);
    declareVerb(command, verb);
    command.action(async (...given: unknown[]) => {
      const mask = Buffer.isBuffer(given[0]) ? given[0] : undefined;
      exitCode = await execute(verb, command.opts<ParsedOptions>(), mask, world);
    });
  }
  for (const { name, summary } of TASKS) program.command(name).description(summary);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
    if (!(error instanceof UsageError || error instanceof RunFault)) throw error;
    for (const line of safeText(error.message).split('\n')) world.writeError(`zkops: ${line}\n`);
    return error.exitCode;
  }
  return exitCode;
}
