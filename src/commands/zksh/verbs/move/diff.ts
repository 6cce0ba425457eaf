import { CommandError } from '../../../program/command-error.js';
import { counted } from '../../../program/counted.js';
import type { Result } from '../../../results/result.js';
import { compareRecords, type Difference } from '../../../trees/compare-records.js';
import { checkSource } from '../../../trees/copy-report.js';
import { DUMP_FORMATS, FORMAT_OPTION } from '../../../trees/dump-format.js';
import { defineCommand } from '../../engine/command.js';
import { AUTH_OPTION, openSource } from './place.js';

export const diff = defineCommand({
  name: 'diff',
  group: 'move',
  summary: 'Compare two subtrees, clusters, or dumps',
  description:
    'Prints one line per difference: - for znodes only on the left, + for znodes only on the right, and ~ for different data or ACLs. Versions and times are ignored, and ephemerals by default. The exit status is 0 if both sides are equal, and 1 if not.',
  options: {
    ephemerals: { letter: 'e', summary: 'compare ephemerals, too' },
    'no-acl': { summary: 'ignore ACLs' },
    ...FORMAT_OPTION,
    ...AUTH_OPTION,
    quiet: { letter: 'q', summary: 'print nothing; set only the exit status' },
  },
  args: {
    left: {
      kind: 'place',
      summary: 'a path, zk://host[:port][,...]/path, or @FILE for a dump file or folder',
    },
    right: { kind: 'place', summary: 'the other side, in the same form' },
  },
  examples: [
    { line: 'diff /app /app.old', summary: 'Compare two subtrees' },
    { line: 'diff @app.dump /app', summary: 'Find changes since a dump' },
    { line: 'diff /app zk://other:2181/app', summary: 'Compare two clusters' },
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
  const size = (bytes: number | null = null) => (bytes === null ? 'null' : counted(bytes, 'byte'));
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
