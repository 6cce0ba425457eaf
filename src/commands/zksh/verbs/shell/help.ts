import type { CommandGroup } from '../../../machine/declaration.js';
import { synopsis } from '../../../machine/help-text.js';
import { commandOf } from '../../../machine/subcommands.js';
import { usageError } from '../../../program/command-error.js';
import type { Result } from '../../../results/result.js';
import { defineCommand, type Verb } from '../../engine/command.js';
import { helpFields, helpOf, requireCall } from '../../engine/find-call.js';

const GROUPS: Readonly<Record<CommandGroup, string>> = {
  znode: 'Znodes',
  tree: 'Trees',
  move: 'Copies',
  acl: 'Access control and quotas',
  session: 'Session',
  shell: 'Shell',
  recipes: 'Recipes',
};

export const help = defineCommand({
  name: 'help',
  group: 'shell',
  summary: 'List the commands or explain one',
  options: {},
  args: {
    command: {
      kind: 'command',
      isVariadic: true,
      isOptional: true,
      summary: 'the command to explain; same as COMMAND --help',
    },
  },
  isLocal: true,
  examples: [
    { line: 'help create', summary: 'Explain create' },
    { line: 'help json set', summary: 'Explain a subcommand' },
  ],
  async run({ commands }, { args: { command } }): Promise<Result> {
    if (command.length === 0) return overview(await commands.all());
    const call = await requireCall(command, commands);
    const [surplus] = call.words;
    if (surplus === undefined) return helpOf(call.command);
    const { name } = commandOf(call, surplus);
    throw usageError(`${name}: unknown subcommand`, surplus, { hint: `run help ${name}` });
  },
});

function overview(commands: readonly Verb[]): Result {
  const groups = (Object.keys(GROUPS) as CommandGroup[]).map((group) => {
    const lines = commands.filter((command) => command.group === group).map(synopsis);
    return `${GROUPS[group]}\n${lines.join('\n')}`;
  });
  const text = `${groups.join('\n\n')}\n\nRun help COMMAND for details of a command.`;
  return { kind: 'message', text, fields: { commands: commands.map(helpFields) } };
}
