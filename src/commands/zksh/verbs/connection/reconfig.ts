import { readFile } from 'node:fs/promises';
import { CommandError, usageError } from '../../../program/command-error.js';
import { ExitCode } from '../../../program/exit-status.js';
import type { Result } from '../../../results/result.js';
import { membersOf } from '../../../znodes/members-file.js';
import { type CommandContext, defineCommand } from '../../engine/command.js';

const CONFIG_PATH = '/zookeeper/config';

export const reconfig = defineCommand({
  name: 'reconfig',
  group: 'session',
  summary: 'Change the members of the ensemble',
  description:
    'Either add and remove members (--add, --remove), or replace the whole list (--members, --file). The prompt shows the change and asks for confirmation. The servers must have reconfigEnabled=true, and this session needs write permission on /zookeeper/config.',
  options: {
    add: {
      letter: 'a',
      kind: 'text',
      valueName: 'SERVERS',
      summary: 'servers to add: N=host:2888:3888[:role];[host:]2181[,...]',
    },
    remove: { letter: 'r', kind: 'text', valueName: 'IDS', summary: 'server ids to remove: 3[,4]' },
    members: {
      letter: 'm',
      kind: 'text',
      valueName: 'SERVERS',
      summary: 'the new list of all members',
    },
    file: {
      letter: 'f',
      kind: 'file',
      valueName: 'FILE',
      summary: 'read the new list from the server.N=, group.N=, and weight.N= lines of a file',
    },
    version: {
      letter: 'v',
      kind: 'text',
      valueName: 'HEX',
      summary: 'require this version of the configuration, as printed by config',
    },
    stat: { letter: 's', summary: 'print the new Stat' },
    yes: { letter: 'y', summary: 'skip the confirmation' },
  },
  args: {},
  isMutating: true,
  examples: [
    {
      line: "reconfig --add '4=zk4:2888:3888;2181'",
      summary: 'Add a server; the quotes protect the ;',
    },
    { line: 'reconfig --remove 3', summary: 'Remove a server' },
  ],
  check({ options, tokens }) {
    const { add, remove, members, file, version } = options;
    const isPart = add !== undefined || remove !== undefined;
    const isWhole = members !== undefined || file !== undefined;
    if (!isPart && !isWhole) {
      throw usageError(
        'reconfig: missing change (expected --add, --remove, --members, or --file)',
        undefined,
      );
    }
    if (isPart && isWhole) {
      const place = tokens.members ?? tokens.file;
      throw usageError(
        'reconfig: cannot combine --add or --remove with --members or --file',
        place,
      );
    }
    if (members !== undefined && file !== undefined) {
      throw usageError('reconfig: expected only one of --members and --file', tokens.file);
    }
    if (version !== undefined && !/^(0x)?[0-9a-fA-F]{1,16}$/.test(version)) {
      throw usageError(
        `--version: invalid version: "${version}" (expected hex digits)`,
        tokens.version,
      );
    }
    if (remove !== undefined && !/^\d+(,\d+)*$/.test(remove)) {
      throw usageError('--remove: invalid server ids (expected 3 or 3,4)', tokens.remove);
    }
  },
  async run(context, { options }): Promise<Result> {
    const { add, remove, version, file } = options;
    const members = file === undefined ? options.members : await readMembers(file);
    if (context.isInteractive && !options.yes) {
      await askFirst(context, { add, remove, members });
    }
    const { data, stat } = await context.client.reconfig({
      ...(add === undefined ? {} : { joining: add }),
      ...(remove === undefined ? {} : { leaving: remove }),
      ...(members === undefined ? {} : { members }),
      ...(version === undefined ? {} : { fromConfig: BigInt(`0x${version.replace(/^0x/, '')}`) }),
    });
    const withStat = options.stat ? { stat } : {};
    return { kind: 'data', path: CONFIG_PATH, data, view: 'text', ...withStat };
  },
});

async function askFirst(
  context: CommandContext,
  change: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const lines = Object.entries(change).filter(([, value]) => value !== undefined);
  const text = lines.map(([name, value]) => `  ${name} ${value}`).join('\n');
  if (await context.confirm(`Change the members of the ensemble?\n${text}\n`)) return;
  throw new CommandError('reconfig: canceled', { code: 'REFUSED' });
}

async function readMembers(file: string): Promise<string> {
  try {
    return membersOf(await readFile(file, 'utf8'));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CommandError(`${file}: cannot read members: ${reason}`, {
      code: 'NOFILE',
      exitCode: ExitCode.usage,
      cause,
    });
  }
}
