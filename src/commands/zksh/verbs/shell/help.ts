import { CommandError, ExitCode } from '../../../program/command-error.js';
import { type Command, type CommandGroup, defineCommand } from '../../engine/command.js';
import { commandHelp, synopsis } from '../../engine/help-text.js';
import type { Result } from '../../results/result.js';

const GROUPS: Readonly<Record<CommandGroup, string>> = {
  znode: 'Znodes',
  tree: 'Looking into trees',
  move: 'Copies',
  acl: 'Who may',
  session: 'Session',
  shell: 'Shell',
  recipes: 'Recipes',
};

export const help = defineCommand({
  name: 'help',
  group: 'shell',
  summary: 'list the commands, or explain one',
  options: {},
  args: { command: { kind: 'command', isOptional: true, summary: 'the command to explain' } },
  isLocal: true,
  examples: [{ line: 'help create', summary: 'its options, arguments and examples' }],
  async run({ commands }, { args, tokens }): Promise<Result> {
    if (args.command === undefined) return overview(await commands.all());
    const found = await commands.find(args.command);
    if (found === undefined) {
      const suggestion = commands.suggest(args.command);
      throw new CommandError(`unknown command "${args.command}"`, {
        code: 'UNKNOWNCOMMAND',
        exitCode: ExitCode.unknownCommand,
        place: tokens.command,
        hint: suggestion === undefined ? 'help lists the commands' : `did you mean ${suggestion}?`,
      });
    }
    return { kind: 'message', text: commandHelp(found), fields: fieldsOf(found) };
  },
});

function overview(commands: readonly Command[]): Result {
  const groups = (Object.keys(GROUPS) as CommandGroup[]).map((group) => {
    const lines = commands.filter((command) => command.group === group).map(synopsis);
    return `${GROUPS[group]}\n${lines.join('\n')}`;
  });
  const text = `${groups.join('\n\n')}\n\nhelp COMMAND explains one.`;
  return { kind: 'message', text, fields: { commands: commands.map(fieldsOf) } };
}

function fieldsOf(command: Command): Record<string, unknown> {
  const { name, aliases, summary, description, options, args, examples } = command;
  return { name, aliases, summary, description, options, args, examples };
}
