import { type CommandDeclaration, usageOf } from '../../src/commands/machine/declaration.js';
import { flagsOf } from '../../src/commands/machine/help-text.js';
import { EXIT_STATUSES } from '../../src/commands/program/exit-status.js';
import { allCommands } from '../../src/commands/zksh/running/registry.js';
import { ZKSH } from '../../src/commands/zksh/zksh-declaration.js';
import { escapeRoff, expand, item, sentence } from './roff.js';

/** zksh(1). */
export async function zkshPage(): Promise<string> {
  const commands = await allCommands();
  const all = commands.flatMap((command) => [command, ...(command.subcommands ?? [])]);
  return expand('zksh.1', {
    synopsis: () => `.B ${escapeRoff(usageOf(ZKSH))}`,
    description: () => escapeRoff(ZKSH.description),
    connect: () => `is ${escapeRoff(ZKSH.args.connect.summary)}.`,
    options: () => optionList(ZKSH),
    commands: () => all.map(commandSection).join('\n'),
    'exit-status': () =>
      EXIT_STATUSES.zksh.map(([code, meaning]) => item('B', String(code), meaning)).join('\n'),
    examples: () => ZKSH.examples.map(example).join('\n'),
  });
}

function commandSection(command: CommandDeclaration): string {
  const { aliases, description, summary } = command;
  const parts = [`.SS ${escapeRoff(usageOf(command))}`, `${sentence(summary)}`];
  if (aliases !== undefined) parts.push(`Also called ${aliases.map(escapeRoff).join(', ')}.`);
  if (description !== undefined) parts.push(escapeRoff(description));
  if (command.subcommands !== undefined) return parts.join('\n');
  const args = Object.entries(command.args).map(([name, spec]) => item('I', name, spec.summary));
  parts.push(...args, optionList(command));
  if (command.examples.length > 0) parts.push('.PP', ...command.examples.map(example));
  return parts.filter((part) => part !== '').join('\n');
}

function optionList({ options }: CommandDeclaration): string {
  return Object.entries(options)
    .map(([name, spec]) => item('B', flagsOf(name, spec), spec.summary))
    .join('\n');
}

function example({ line, summary }: { readonly line: string; readonly summary: string }): string {
  return item('B', line, summary);
}
