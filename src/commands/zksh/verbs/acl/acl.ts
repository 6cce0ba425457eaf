import type { ACL } from '../../../../protocol/data.js';
import { formatPerms } from '../../../../protocol/perms.js';
import { CommandError, ExitCode, usageError } from '../../../program/command-error.js';
import { formatAcl } from '../../../znodes/parse-acl.js';
import { aclOf } from '../../engine/acl-of-token.js';
import { type CommandContext, defineCommand } from '../../engine/command.js';
import type { Token } from '../../language/parse-line.js';
import { CommandWalk } from '../../paths/walk-command.js';
import type { Result, Row } from '../../results/result.js';
import { addEntries, changeAcl, isMeantBy, removeEntries } from './change-acl.js';

export const acl = defineCommand({
  name: 'acl',
  group: 'acl',
  summary: 'show an ACL as a table, and add or remove entries',
  description:
    'add takes whole entries, scheme:id:perms[,...], and replaces one that is there with the same id; remove takes ids, scheme:id[,...], and digest:USER is enough where the hash is not known. The other entries stay, also those that somebody else adds at the same time: the ACL is set only if it is still the one that was read. An ACL under which this session could not change it again is refused. With -R, show leaves out a znode whose ACL is that of the znode above it; what cannot be read, or changed, is named, and makes the exit code 9. A pattern asks before a change; a script says --yes, or is refused.',
  options: {
    recursive: { letter: 'R', summary: 'everything below, too' },
    force: { summary: 'even if this session is shut out by it' },
    yes: { letter: 'y', summary: 'do not ask about a pattern' },
    'dry-run': { letter: 'n', summary: 'list what would be changed, and to what' },
  },
  args: {
    action: { kind: 'text', choices: ['show', 'add', 'remove'], summary: 'what to do' },
    path: { kind: 'path', glob: 'serial', summary: 'the znode, or a pattern' },
    entries: {
      kind: 'text',
      isAclLike: true,
      isOptional: true,
      summary: 'of add: scheme:id:perms[,...]; of remove: scheme:id[,...]',
    },
  },
  isMutating: true,
  isReading: ({ args }) => args.action === 'show',
  examples: [
    { line: 'acl show /app', summary: 'who may what, in words' },
    { line: 'acl show -R /', summary: 'where in the tree it changes' },
    { line: 'acl add /app ip:10.0.0.0/8:r', summary: 'one entry more' },
    { line: 'acl remove -R /app digest:ann', summary: 'this user no longer, from here down' },
  ],
  check({ args: { action, entries }, options, tokens }) {
    if (action === 'show') {
      const token = tokens.entries ?? tokens.force ?? tokens['dry-run'];
      if (token !== undefined) throw usageError('this goes with add and remove', token);
    } else if (entries === undefined) {
      throw usageError(`acl ${action} needs ${action === 'add' ? 'entries' : 'ids'}`, tokens.path);
    } else if (action === 'add') aclOf(entriesToken(tokens.entries));
    else idsOf(entries, tokens.entries);
    if (options.yes && action === 'show') throw usageError('nothing is asked here', tokens.yes);
  },
  async run(context, { args: { action, path, entries = '' }, options, tokens }): Promise<Result> {
    if (action === 'show') return show(context, path, options.recursive);
    const flags = { ...options, isStatShown: false };
    if (action === 'add') {
      return changeAcl(context, path, addEntries(aclOf(entriesToken(tokens.entries))), flags);
    }
    const ids = idsOf(entries, tokens.entries);
    if (!options.recursive) await refuseMissing(context, path, ids);
    return changeAcl(context, path, removeEntries(ids), flags);
  },
});

function entriesToken(token: Token | undefined): Token {
  if (token === undefined) throw new Error('checked before');
  return token;
}

/** @throws CommandError USAGE */
function idsOf(text: string, token: Token | undefined): readonly ACL['id'][] {
  return text.split(/,(?=\w+:)/).map((part) => {
    const colon = part.indexOf(':');
    if (colon > 0) return { scheme: part.slice(0, colon), id: part.slice(colon + 1) };
    throw usageError(`"${part}" is not scheme:id`, token, 'world:anyone, ip:10.0.0.1, digest:ann');
  });
}

/** A name typed wrong must not pass for one that was taken away. */
async function refuseMissing(
  { client }: CommandContext,
  path: string,
  ids: readonly ACL['id'][],
): Promise<void> {
  const { acl: present } = await client.getACL(path);
  const missing = ids.find((id) => !present.some((entry) => isMeantBy(id, entry.id)));
  if (missing === undefined) return;
  throw new CommandError(`${missing.scheme}:${missing.id} has no entry in the ACL of ${path}`, {
    code: 'NOENTRY',
    exitCode: ExitCode.noNode,
    path,
    hint: `its ACL is ${formatAcl(present)}`,
  });
}

const COLUMNS = [
  { name: 'path' },
  { name: 'scheme' },
  { name: 'id' },
  { name: 'perms' },
  { name: 'may' },
];

const WORDS = { c: 'create', d: 'delete', r: 'read', w: 'write', a: 'admin' } as const;

function rowsOf(path: string, entries: readonly ACL[]): readonly Row[] {
  return entries.map(({ id: { scheme, id }, perms }) => {
    const letters = formatPerms(perms);
    const words = Object.entries(WORDS).filter(([letter]) => letters.includes(letter));
    const may = letters === 'cdrwa' ? 'all' : words.map(([, word]) => word).join(' ');
    return { path, scheme, id, perms: letters, may };
  });
}

async function show(context: CommandContext, root: string, isRecursive: boolean): Promise<Result> {
  const { client } = context;
  if (!isRecursive) {
    const { acl: entries } = await client.getACL(root);
    return { kind: 'rows', columns: COLUMNS, rows: rowsOf(root, entries) };
  }
  const walk = new CommandWalk(context);
  const rows: Row[] = [];
  /** The ACLs on the way down to the znode that is visited. */
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
