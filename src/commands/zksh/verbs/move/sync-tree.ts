import { isWithin } from '../../../../protocol/path.js';
import { CommandError, usageError } from '../../../program/command-error.js';
import { counted } from '../../../program/counted.js';
import { ExitCode } from '../../../program/exit-status.js';
import type { Result } from '../../../results/result.js';
import { compareRecords, type Difference } from '../../../trees/compare-records.js';
import { amount, checkSource } from '../../../trees/copy-report.js';
import { DUMP_FORMATS, FORMAT_OPTION } from '../../../trees/dump-format.js';
import { existingRoot } from '../../../trees/existing-root.js';
import {
  applyDifferences,
  emptyTally,
  type Tally,
  tally,
} from '../../../trees/sync-differences.js';
import { TreeSource } from '../../../trees/tree-source.js';
import { type CommandContext, defineCommand } from '../../engine/command.js';
import {
  AUTH_OPTION,
  isFile,
  isRemote,
  type OpenSource,
  openSource,
  openTree,
  type TreePlace,
} from './place.js';

const SAMPLE_LENGTH = 5;

export const syncTree = defineCommand({
  name: 'sync-tree',
  group: 'move',
  summary: 'Make a subtree equal to another subtree or a dump',
  description:
    'Changes only the differences: creates missing znodes, and sets different data and ACLs. A znode that changed since the comparison is not overwritten. --delete also deletes extra znodes of the target, children first. It shows their number and a sample, and asks for confirmation; a script must pass --yes. Ephemerals of the target stay unchanged. Containers and TTL nodes become persistent, unless a dump names their type. Znodes that could not be changed are reported, with exit status 9. Run the command again to continue.',
  options: {
    delete: { summary: 'delete znodes that exist only in the target' },
    yes: { letter: 'y', summary: 'skip the confirmation of deletes' },
    'dry-run': {
      letter: 'n',
      summary: 'list the changes without making them: + create, ~ set, - delete',
    },
    ephemerals: { letter: 'e', summary: 'copy ephemerals of the source as persistent znodes' },
    'no-acl': { summary: 'keep the ACLs of the target' },
    ...FORMAT_OPTION,
    ...AUTH_OPTION,
  },
  args: {
    source: {
      kind: 'place',
      summary: 'a path, zk://host[:port][,...]/path, or @FILE for a dump file or folder',
    },
    target: { kind: 'place', summary: 'a path, or zk://host[:port][,...]/path' },
  },
  isMutating: true,
  examples: [
    {
      line: 'sync-tree -n --delete /app zk://other:2181/app',
      summary: 'Preview a sync to another cluster',
    },
    { line: 'sync-tree --delete /app zk://other:2181/app', summary: 'Make another cluster equal' },
    { line: 'sync-tree /app /app.old', summary: 'Update a backup subtree' },
    { line: 'sync-tree @app.yaml /app', summary: 'Apply an edited dump' },
  ],
  check({ args, options, tokens }) {
    if (isFile(args.target)) {
      throw usageError('sync-tree: target is a file; write a new dump with dump', tokens.target);
    }
    if (options.yes && !options.delete) {
      throw usageError('sync-tree: --yes requires --delete', tokens.yes);
    }
    const places = [args.source, args.target];
    if (!places.some((place) => isFile(place) || isRemote(place))) {
      if (isWithin(args.source, args.target) || isWithin(args.target, args.source)) {
        throw usageError('sync-tree: source and target overlap', tokens.target);
      }
    }
  },
  async run(context, { options, args }): Promise<Result> {
    const how = {
      signal: context.signal,
      hasAcls: !options['no-acl'],
      hasEphemerals: options.ephemerals,
      isAuthSent: options['send-auth'],
      format: DUMP_FORMATS.find((name) => name === options.format),
    };
    const source = await openSource(context, args.source, how);
    try {
      const target = await openTree(context, args.target, options['send-auth']);
      try {
        return await syncPlaces({ context, source, target, options, hasAcls: how.hasAcls });
      } finally {
        await target.close();
      }
    } finally {
      await source.close();
    }
  },
});

interface Sync {
  readonly context: CommandContext;
  readonly source: OpenSource;
  readonly target: TreePlace;
  readonly hasAcls: boolean;
  readonly options: {
    readonly delete: boolean;
    readonly yes: boolean;
    readonly 'dry-run': boolean;
  };
}

async function syncPlaces(sync: Sync): Promise<Result> {
  const { context, target, options } = sync;
  const { client, path } = target;
  if (isWithin(path, '/zookeeper')) {
    throw new CommandError(`sync-tree: refuses to change a system path: ${path}`, {
      code: 'GUARDED',
      exitCode: ExitCode.usage,
      path,
      hint: "it contains the server's own znodes",
    });
  }
  await checkComplete(sync);
  const isThere = (await client.exists(path)) !== null;
  if (!isThere) await existingRoot(client, path);
  if (options['dry-run']) return listOnly(sync, isThere);
  if (options.delete && isThere) await confirmDeletes(sync, await lookAhead(sync));
  const counts = await applyDifferences(differencesOf(sync, isThere), client, path, {
    signal: context.signal,
    mayDelete: () => options.delete && (sync.source.tree?.unread ?? 0) === 0,
    hasAcls: sync.hasAcls,
    progress: (count) => context.progress?.({ done: 'changed', count }),
  }).finally(() => context.progress?.(undefined));
  checkRead(sync);
  const name = nameOf(target);
  return {
    kind: 'message',
    text: `${name} now equals the source: ${sentenceOf(counts)}`,
    fields: { to: name, ...counts, isDryRun: false },
  };
}

/** An incomplete dump must not cause deletes. */
async function checkComplete({ source: { dump }, options }: Sync): Promise<void> {
  if (dump === undefined) return;
  const end = await dump.readEnd();
  if (end !== undefined && (end.unread === 0 || !options.delete)) return;
  const why = end === undefined ? 'interrupted' : `could not read ${counted(end.unread, 'znode')}`;
  throw new CommandError(`incomplete dump: ${why}`, {
    code: 'BADDUMP',
    exitCode: ExitCode.usage,
    hint: end === undefined ? 'complete it with dump --resume' : 'omit --delete to use it as it is',
  });
}

function nameOf({ name, path }: TreePlace): string {
  return isRemote(name) ? name : path;
}

/** Stops after an incomplete read of the source, which would cause wrong deletes. */
function checkRead({ source }: Sync): void {
  if (source.tree !== undefined) checkSource(source.tree);
}

function differencesOf(sync: Sync, isThere: boolean): AsyncGenerator<Difference> {
  const { context, source, target, hasAcls } = sync;
  const tree = new TreeSource(target.client, target.path, {
    signal: context.signal,
    hasAcls,
    hasEphemerals: false,
  });
  return compareRecords(persistent(source), isThere ? tree.records() : nothing());
}

async function* persistent(source: OpenSource): ReturnType<OpenSource['records']> {
  for await (const record of source.records()) {
    yield record.mode === 'ephemeral' ? { ...record, mode: 'persistent' } : record;
  }
}

async function* nothing(): ReturnType<OpenSource['records']> {}

interface Deletes {
  readonly count: number;
  readonly sample: readonly string[];
}

async function lookAhead(sync: Sync): Promise<Deletes> {
  const sample: string[] = [];
  let count = 0;
  for await (const { path, left } of differencesOf(sync, true)) {
    if (left !== undefined) continue;
    count++;
    if (sample.length < SAMPLE_LENGTH) sample.push(absolute(sync.target, path));
  }
  checkRead(sync);
  return { count, sample };
}

async function confirmDeletes(
  { context, options }: Sync,
  { count, sample }: Deletes,
): Promise<void> {
  if (count === 0 || options.yes) return;
  const what = counted(count, 'znode');
  if (!context.isInteractive) {
    const more = count > sample.length ? ', ...' : '';
    throw new CommandError(
      `sync-tree: not confirmed: delete of ${what}: ${sample.join(', ')}${more}`,
      {
        code: 'UNCONFIRMED',
        exitCode: ExitCode.usage,
        hint: 'pass --yes to skip the confirmation, or -n to list all znodes',
      },
    );
  }
  const more = count > sample.length ? ` and ${count - sample.length} more` : '';
  const question = `Delete ${what} that exist only in the target: ${sample.join(', ')}${more}?`;
  if (await context.confirm(question)) return;
  throw new CommandError('sync-tree: canceled', { code: 'REFUSED' });
}

function absolute({ path: root }: TreePlace, path: string): string {
  return root === '/' ? path || '/' : `${root}${path}`;
}

async function listOnly(sync: Sync, isThere: boolean): Promise<Result> {
  const { context, target, options } = sync;
  const counts = emptyTally();
  for await (const difference of differencesOf(sync, isThere)) {
    if (difference.left === undefined && !options.delete) continue;
    tally(counts, difference);
    const [sign, action] = stepOf(difference);
    const path = absolute(target, difference.path);
    const what = changesOf(difference);
    const text = `${sign} ${path}${what.length > 0 ? `  (${what.join(', ')})` : ''}`;
    await context.emit({ kind: 'message', text, fields: { path, action, changes: what } });
  }
  checkRead(sync);
  const name = nameOf(target);
  return {
    kind: 'message',
    text: `${name} would equal the source: ${sentenceOf(counts)}`,
    fields: { to: name, ...counts, isDryRun: true },
  };
}

function stepOf({ left, right }: Difference): readonly [sign: string, action: string] {
  if (left === undefined) return ['-', 'delete'];
  return right === undefined ? ['+', 'create'] : ['~', 'set'];
}

function changesOf({ isDataDifferent, isAclDifferent }: Difference): readonly string[] {
  return [...(isDataDifferent ? ['data'] : []), ...(isAclDifferent ? ['ACL'] : [])];
}

function sentenceOf({ created, set, aclsSet, deleted, bytes }: Tally): string {
  if (created + set + aclsSet + deleted === 0) return 'no changes';
  const acls = counted(aclsSet, 'ACL');
  return `${amount(created + set, bytes)} (${created} created, ${set} set), ${acls} set, ${deleted} deleted`;
}
