import { wrap } from '../../terminal/text-width.js';
import type { Result } from '../results/result.js';
import { type CommandDeclaration, type OptionSpec, usageOf, valueNameOf } from './command.js';

export const HELP_COLUMNS = 78;
const INDENT = ' '.repeat(30);
const SUMMARY_AT = 36;

export function synopsis(command: CommandDeclaration): string {
  const usage = wrap(usageOf(command), HELP_COLUMNS - 2, '    ').replace(/^/gm, '  ');
  const indent = ' '.repeat(SUMMARY_AT);
  const summary = wrap(command.summary, HELP_COLUMNS - SUMMARY_AT, '').replaceAll(
    '\n',
    `\n${indent}`,
  );
  return usage.length <= SUMMARY_AT - 2
    ? `${usage.padEnd(SUMMARY_AT)}${summary}`
    : `${usage}\n${indent}${summary}`;
}

export function helpOf(command: CommandDeclaration): Result {
  return { kind: 'message', text: commandHelp(command), fields: helpFields(command) };
}

export function helpFields(command: CommandDeclaration): Record<string, unknown> {
  const { name, aliases, summary, description, options, args, examples, subcommands } = command;
  const common = { name, aliases, summary, description };
  if (subcommands !== undefined) return { ...common, subcommands: subcommands.map(helpFields) };
  return { ...common, options, args, examples };
}

function commandHelp(command: CommandDeclaration): string {
  const usage = wrap(usageOf(command), HELP_COLUMNS, '    ');
  const parts = [`${usage}\n  ${command.summary}`];
  if (command.aliases !== undefined) parts.push(`Also: ${command.aliases.join(', ')}`);
  if (command.description !== undefined) parts.push(wrap(command.description, HELP_COLUMNS, ''));
  if (command.subcommands !== undefined) {
    const rows = command.subcommands.map(synopsis);
    return [...parts, `Subcommands\n${rows.join('\n')}`].join('\n\n');
  }
  const args = Object.entries(command.args).map(([name, spec]) => row(name, spec.summary));
  if (args.length > 0) parts.push(`Arguments\n${args.join('\n')}`);
  const options = optionRows(command);
  if (options.length > 0) parts.push(`Options\n${options.join('\n')}`);
  const examples = command.examples.map(({ line, summary }) => row(line, summary));
  if (examples.length > 0) parts.push(`Examples\n${examples.join('\n')}`);
  return parts.join('\n\n');
}

/** One row for each option: "  -v, --version VERSION   require ...". */
export function optionRows(command: Pick<CommandDeclaration, 'options'>): string[] {
  return Object.entries(command.options).map(([name, spec]) =>
    row(flagsOf(name, spec), spec.summary),
  );
}

export function flagsOf(name: string, spec: OptionSpec): string {
  const letter = spec.letter === undefined ? '' : `-${spec.letter}, `;
  const value = spec.kind === undefined ? '' : ` ${valueNameOf(name, spec)}`;
  return `${letter}--${name}${value}`;
}

/** The second column moves to the next line if the first one is too long. */
export function row(left: string, right: string): string {
  const start = `  ${left}`;
  const [first = '', ...more] = wrap(right, HELP_COLUMNS - INDENT.length, '').split('\n');
  const head = start.length <= 28 ? start.padEnd(INDENT.length) : `${start}\n${INDENT}`;
  return [head + first, ...more.map((line) => INDENT + line)].join('\n');
}
