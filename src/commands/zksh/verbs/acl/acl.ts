import type { ACL } from '../../../../protocol/data.js';
import { formatAcl, formatPerms } from '../../../../protocol/perms.js';
import { defineFamily } from '../../../machine/subcommands.js';
import { CommandError, usageError } from '../../../program/command-error.js';
import { ExitCode } from '../../../program/exit-status.js';
import { namedColumns, type Result, type Row } from '../../../results/result.js';
import { type CommandContext, defineCommand } from '../../engine/command.js';
import type { Token } from '../../language/parse-line.js';
import { CommandWalk } from '../../paths/walk-command.js';
import { addEntries, changeAcl, matchesId, removeEntries } from './change-acl.js';

const aclPath = { kind: 'path', glob: 'serial', summary: 'the znode, or a pattern' } as const;
const recursive = { letter: 'R', summary: 'include all descendants' } as const;

const changeOptions = {
  recursive,
  force: { summary: 'allow an ACL that locks out this session' },
  yes: { letter: 'y', summary: 'skip the confirmation of a pattern' },
  'dry-run': { letter: 'n', summary: 'list the old and new ACLs without setting them' },
} as const;

const show = defineCommand({
  name: 'acl show',
  group: 'acl',
  summary: 'Show an ACL as a table',
  description:
    '-R omits znodes with the same ACL as their parent. Znodes that cannot be read are reported, with exit status 9.',
  options: { recursive },
  args: { path: aclPath },
  examples: [
    { line: 'acl show /app', summary: 'Show the permissions of /app' },
    { line: 'acl show -R /', summary: 'Find the places in the tree where ACLs differ' },
  ],
  run: (context, { args, options }) =>
    options.recursive ? showBelow(context, args.path) : showOne(context, args.path),
});

const add = defineCommand({
  name: 'acl add',
  group: 'acl',
  summary: 'Add entries to an ACL',
  description: 'An entry replaces an existing entry with the same id.',
  options: changeOptions,
  args: { path: aclPath, entries: { kind: 'acl', summary: 'scheme:id:perms[,...]' } },
  isMutating: true,
  examples: [{ line: 'acl add /app ip:10.0.0.0/8:r', summary: 'Grant read access to a network' }],
  run: (context, { args: { path, entries }, options }) =>
    changeAcl(context, path, addEntries(entries), { ...options, isStatShown: false }),
});

const remove = defineCommand({
  name: 'acl remove',
  group: 'acl',
  summary: 'Remove entries from an ACL',
  description: 'For digest entries, digest:USER is enough; the hash can be omitted.',
  options: changeOptions,
  args: {
    path: aclPath,
    ids: { kind: 'text', isAclLike: true, summary: 'scheme:id[,...]' },
  },
  isMutating: true,
  examples: [
    { line: 'acl remove -R /app digest:ann', summary: 'Revoke the access of a user to a subtree' },
  ],
  check({ args, tokens }) {
    idsOf(args.ids, tokens.ids);
  },
  async run(context, { args: { path, ...args }, options, tokens }): Promise<Result> {
    const ids = idsOf(args.ids, tokens.ids);
    if (!options.recursive) await refuseMissing(context, path, ids);
    return changeAcl(context, path, removeEntries(ids), { ...options, isStatShown: false });
  },
});

export const acl = defineFamily({
  name: 'acl',
  group: 'acl',
  summary: 'Show ACLs as tables, and add or remove entries',
  description:
    'Other entries stay unchanged, including entries that other clients add at the same time. An ACL that would lock out this session is rejected. Znodes that cannot be changed are reported, with exit status 9. A pattern asks for confirmation before a change; a script must pass --yes.',
  subcommands: [show, add, remove],
});

function idsOf(text: string, token: Token | undefined): readonly ACL['id'][] {
  return text.split(/,(?=\w+:)/).map((part) => {
    const colon = part.indexOf(':');
    if (colon > 0) return { scheme: part.slice(0, colon), id: part.slice(colon + 1) };
    throw usageError(`invalid ACL id: "${part}" (expected scheme:id)`, token, {
      hint: 'examples: world:anyone, ip:10.0.0.1, digest:ann',
    });
  });
}

/** Unknown ids are probably typing errors. */
async function refuseMissing(
  { client }: CommandContext,
  path: string,
  ids: readonly ACL['id'][],
): Promise<void> {
  const { acl: present } = await client.getACL(path);
  const missing = ids.find((id) => !present.some((entry) => matchesId(id, entry.id)));
  if (missing === undefined) return;
  throw new CommandError(`${path}: ACL has no entry for ${missing.scheme}:${missing.id}`, {
    code: 'NOENTRY',
    exitCode: ExitCode.noNode,
    path,
    hint: `the ACL is ${formatAcl(present)}`,
  });
}

const COLUMNS = namedColumns('path', 'scheme', 'id', 'perms', 'may');

const WORDS = { c: 'create', d: 'delete', r: 'read', w: 'write', a: 'admin' } as const;

function rowsOf(path: string, entries: readonly ACL[]): readonly Row[] {
  return entries.map(({ id: { scheme, id }, perms }) => {
    const letters = formatPerms(perms);
    const words = Object.entries(WORDS).filter(([letter]) => letters.includes(letter));
    const may = letters === 'cdrwa' ? 'all' : words.map(([, word]) => word).join(' ');
    return [path, scheme, id, letters, may];
  });
}

async function showOne({ client }: CommandContext, path: string): Promise<Result> {
  const { acl: entries } = await client.getACL(path);
  return { kind: 'rows', columns: COLUMNS, rows: rowsOf(path, entries) };
}

async function showBelow(context: CommandContext, root: string): Promise<Result> {
  const { client } = context;
  const walk = new CommandWalk(context);
  const rows: Row[] = [];
  /** By depth, the ACLs of the ancestors of the current znode. */
  const above: (string | undefined)[] = [];
  const read = async (path: string) => (await client.getACL(path)).acl;
  for await (const visit of walk.visits(root, {}, { read, areFaultsGiven: true })) {
    const { path, depth, extra } = visit;
    const text = extra === undefined ? undefined : formatAcl(extra);
    above[depth] = text;
    if (extra !== undefined && (depth === 0 || text !== above[depth - 1])) {
      rows.push(...rowsOf(path, extra));
    }
  }
  await context.emit({ kind: 'rows', columns: COLUMNS, rows });
  walk.finish();
  return { kind: 'end' };
}
