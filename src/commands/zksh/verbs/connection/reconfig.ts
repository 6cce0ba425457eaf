import { readFile } from 'node:fs/promises';
import { CommandError, ExitCode, usageError } from '../../../program/command-error.js';
import { membersOf } from '../../../znodes/members-file.js';
import { type CommandContext, defineCommand } from '../../engine/command.js';
import type { Result } from '../../results/result.js';

const CONFIG_PATH = '/zookeeper/config';

export const reconfig = defineCommand({
  name: 'reconfig',
  group: 'session',
  summary: 'change the members of the ensemble',
  description:
    'Either some join and leave (--add, --remove), or all members are named (--members, --file). At the prompt it shows what it will do and asks. The servers refuse it unless reconfigEnabled is set there, and this session may write /zookeeper/config.',
  options: {
    add: {
      letter: 'a',
      kind: 'text',
      valueName: 'SERVERS',
      summary: 'N=host:2888:3888[:role];[host:]2181[,...] to join',
    },
    remove: { letter: 'r', kind: 'text', valueName: 'IDS', summary: 'server ids to leave: 3[,4]' },
    members: {
      letter: 'm',
      kind: 'text',
      valueName: 'SERVERS',
      summary: 'all members there are to be',
    },
    file: {
      letter: 'f',
      kind: 'file',
      valueName: 'FILE',
      summary: 'the same, from a file with server.N= lines',
    },
    version: {
      letter: 'v',
      kind: 'text',
      valueName: 'HEX',
      summary: 'only if this is still the version of the configuration, as config shows it',
    },
    stat: { letter: 's', summary: 'show the Stat it has then' },
    yes: { letter: 'y', summary: 'do not ask' },
  },
  args: {},
  isMutating: true,
  examples: [
    { line: "reconfig --add '4=zk4:2888:3888;2181'", summary: 'one more; quotes keep the ;' },
    { line: 'reconfig --remove 3', summary: 'one less' },
  ],
  check({ options, tokens }) {
    const { add, remove, members, file, version } = options;
    const isPart = add !== undefined || remove !== undefined;
    const isWhole = members !== undefined || file !== undefined;
    if (!isPart && !isWhole) {
      throw usageError('reconfig needs --add, --remove, --members or --file', undefined);
    }
    if (isPart && isWhole) {
      const place = tokens.members ?? tokens.file;
      throw usageError('--add and --remove do not go with --members and --file', place);
    }
    if (members !== undefined && file !== undefined) {
      throw usageError('either --members or --file', tokens.file);
    }
    if (version !== undefined && !/^(0x)?[0-9a-fA-F]{1,16}$/.test(version)) {
      throw usageError(`"${version}" is no version in hex`, tokens.version);
    }
    if (remove !== undefined && !/^\d+(,\d+)*$/.test(remove)) {
      throw usageError('--remove takes server ids: 3 or 3,4', tokens.remove);
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
  if (await context.confirm(`change the members of the ensemble?\n${text}\n`)) return;
  throw new CommandError('nothing was changed', { code: 'REFUSED' });
}

async function readMembers(file: string): Promise<string> {
  try {
    return membersOf(await readFile(file, 'utf8'));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CommandError(`cannot read members from ${file}: ${reason}`, {
      code: 'NOFILE',
      exitCode: ExitCode.usage,
      cause,
    });
  }
}
