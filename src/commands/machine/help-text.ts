import { formatDuration } from '../program/duration.js';
import type { ExitStatuses } from '../program/exit-status.js';
import { wrap } from '../terminal/text-width.js';
import { type CommandDeclaration, type OptionSpec, usageOf, valueNameOf } from './declaration.js';

export const HELP_COLUMNS = 78;
const INDENT = ' '.repeat(30);
const SUMMARY_AT = 36;
/** Options in the usage line of a program with verbs. */
const SHORT = 5;

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

/** @param program comes before the name, and more than a few options are not in the usage line */
export function commandHelp(command: CommandDeclaration, program?: string): string {
  const text =
    program === undefined ? usageOf(command) : `usage: ${program} ${usageOf(command, SHORT)}`;
  const usage = wrap(text, HELP_COLUMNS, '    ');
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
    row(flagsOf(name, spec), spec.summary + defaultOf(spec)),
  );
}

/** ` (default: 2s)` */
function defaultOf({ kind, fallback }: OptionSpec): string {
  if (fallback === undefined || fallback === '') return '';
  const isTime = kind === 'duration' && typeof fallback === 'number';
  return ` (default: ${isTime ? formatDuration(fallback) : fallback})`;
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

interface HelpOfProgram {
  readonly name: string;
  readonly summary: string;
  readonly examples: readonly string[];
  readonly exitStatus: ExitStatuses;
}

/** @param verbs in the order of the help */
export function programHelp(
  program: HelpOfProgram,
  verbs: readonly Pick<CommandDeclaration, 'name' | 'summary'>[],
): string {
  const { name, summary, examples } = program;
  const parts = [
    `usage: ${name} COMMAND [option]...`,
    summary,
    `Commands\n${verbs.map((verb) => row(verb.name, verb.summary)).join('\n')}`,
    `Options\n${row('-h, --help', 'show this help')}\n${row('-V, --version', 'show the version')}`,
    `Examples\n${examples.map((line) => `  ${line}`).join('\n')}`,
    statusHelp(program.exitStatus),
    `${name} help COMMAND, or ${name} COMMAND --help, explains one.`,
  ];
  return `${parts.join('\n\n')}\n`;
}

export function statusHelp(statuses: ExitStatuses): string {
  const rows = statuses.map(([status, meaning]) => `  ${String(status).padEnd(5)}${meaning}`);
  return `Exit status\n${rows.join('\n')}`;
}
