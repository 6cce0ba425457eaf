import { CommandError } from '../../../program/command-error.js';
import { defineCommand } from '../../engine/command.js';
import type { Result } from '../../results/result.js';
import { compareRecords, type Difference } from './compare-records.js';
import { checkSource } from './copy-report.js';
import { DUMP_FORMATS, FORMAT_OPTION } from './dump-format.js';
import { AUTH_OPTION, openSource } from './place.js';

export const diff = defineCommand({
  name: 'diff',
  group: 'move',
  summary: 'compare two subtrees, here, in a dump, or on another cluster',
  description:
    'A line for each znode that differs: - is only on the left, + only on the right, ~ has other data or another ACL. Versions and times are not compared, nor ephemerals unless asked for. The exit code is 0 when both are the same, and 1 when not.',
  options: {
    ephemerals: { letter: 'e', summary: 'ephemerals too' },
    'no-acl': { summary: 'without ACLs' },
    ...FORMAT_OPTION,
    ...AUTH_OPTION,
    quiet: { letter: 'q', summary: 'only the exit code' },
  },
  args: {
    left: {
      kind: 'place',
      summary: 'a path, zk://host[:port][,...]/path, or @FILE for a dump, also a folder',
    },
    right: { kind: 'place', summary: 'the same' },
  },
  examples: [
    { line: 'diff /app /app.old', summary: 'two subtrees' },
    { line: 'diff @app.dump /app', summary: 'what changed since the dump' },
    { line: 'diff /app zk://other:2181/app', summary: 'two clusters' },
  ],
  async run(context, { options, args }): Promise<Result> {
    const how = {
      signal: context.signal,
      hasAcls: !options['no-acl'],
      hasEphemerals: options.ephemerals,
      isAuthSent: options['send-auth'],
      format: DUMP_FORMATS.find((name) => name === options.format),
    };
    const left = await openSource(context, args.left, how);
    const right = await openSource(context, args.right, how).catch(async (error: unknown) => {
      await left.close();
      throw error;
    });
    let count = 0;
    try {
      for await (const difference of compareRecords(left.records(), right.records())) {
        count++;
        if (!options.quiet) await context.emit(line(difference));
      }
    } finally {
      await Promise.all([left.close(), right.close()]);
    }
    for (const { tree } of [left, right]) if (tree !== undefined) checkSource(tree);
    if (count === 0) return { kind: 'end' };
    throw new CommandError(count === 1 ? '1 znode differs' : `${count} znodes differ`, {
      code: 'DIFFERENT',
    });
  },
});

function line({ path, left, right, isDataDifferent, isAclDifferent }: Difference): Result {
  const shown = path === '' ? '/' : path;
  if (right === undefined) return lineOf('-', shown, {});
  if (left === undefined) return lineOf('+', shown, {});
  const sizes = [left.data?.length ?? null, right.data?.length ?? null];
  return lineOf('~', shown, {
    ...(isDataDifferent ? { data: sizes } : {}),
    ...(isAclDifferent ? { isAclDifferent } : {}),
  });
}

function lineOf(
  sign: '-' | '+' | '~',
  path: string,
  how: { readonly data?: readonly (number | null)[]; readonly isAclDifferent?: boolean },
): Result {
  const size = (bytes: number | null | undefined) => (bytes === null ? 'null' : `${bytes} bytes`);
  const words = [
    ...(how.data === undefined ? [] : [`data: ${size(how.data[0])}, ${size(how.data[1])}`]),
    ...(how.isAclDifferent === true ? ['ACL'] : []),
  ];
  const side = { '-': 'left', '+': 'right', '~': 'both' }[sign];
  return {
    kind: 'message',
    text: `${sign} ${path}${words.length > 0 ? `  (${words.join('; ')})` : ''}`,
    fields: { path, side, ...how },
  };
}
