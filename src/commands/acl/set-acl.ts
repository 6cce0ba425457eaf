import { ZooKeeperError } from '../../client/errors.js';
import type { ACL } from '../../protocol/data.js';
import { type CommandContext, defineCommand } from '../command.js';
import { CommandError, usageError } from '../command-error.js';
import type { Result } from '../result.js';
import { VERSION_RANGE } from '../versions.js';
import { partialError, walk } from '../walk.js';
import { formatAcl } from './parse-acl.js';
import { refuseLockout } from './self-lockout.js';

export const setAcl = defineCommand({
  name: 'setAcl',
  group: 'acl',
  summary: 'set the ACL of a znode',
  description:
    'An ACL is scheme:id:perms[,...]; the permissions are c(reate) d(elete) r(ead) w(rite) a(dmin). One wrong entry refuses the whole ACL, and so does one under which this session could not change it again. With -R, what cannot be changed is named, and makes the exit code 9. A pattern asks first; a script says --yes, or is refused.',
  options: {
    stat: { letter: 's', summary: 'show the Stat it has then' },
    version: {
      letter: 'v',
      kind: 'integer',
      ...VERSION_RANGE,
      summary: 'only if this is still its aclVersion',
    },
    recursive: { letter: 'R', summary: 'everything below, too' },
    add: { summary: 'add these entries to those there are; the same id is replaced' },
    remove: { summary: 'take away the entries of these ids' },
    force: { summary: 'even if this session is shut out by it' },
    yes: { letter: 'y', summary: 'do not ask about a pattern' },
    'dry-run': { letter: 'n', summary: 'list what would be changed, and to what' },
  },
  args: {
    path: { kind: 'path', glob: 'serial', summary: 'the znode, or a pattern' },
    acl: { kind: 'acl', summary: 'its entries: scheme:id:perms[,...]' },
  },
  isMutating: true,
  examples: [
    { line: 'setAcl /app world:anyone:ra', summary: 'all may read, none may write' },
    { line: 'setAcl /app auth::cdrwa', summary: 'only those authenticated as this session is' },
    { line: 'setAcl --add /app ip:10.0.0.0/8:r', summary: 'one entry more' },
  ],
  check({ options, tokens }) {
    if (options.recursive && options.version !== undefined) {
      throw usageError('-v is for one znode, not with -R', tokens.version);
    }
    if (options.add && options.remove) throw usageError('either --add or --remove', tokens.remove);
  },
  async run(context, { options, args: { path, acl } }): Promise<Result> {
    const { client } = context;
    const change = changeOf(options, acl);
    const present = await presentAcl(context, path, options);
    const wanted = change.apply(present?.acl ?? []);
    if (wanted.length === 0) throw emptyAcl(path);
    if (!options.force) await refuseLockout(client, path, wanted);
    if (options['dry-run']) return dryRun(context, path, options.recursive, change);
    const below = options.recursive ? await setBelow(context, path, change) : NOTHING_BELOW;
    const version = options.version ?? present?.aversion ?? -1;
    const stat = await client.setACL(path, wanted, version);
    const { failures, count } = below;
    if (failures.length > 0) {
      const done = count + 1 - failures.length;
      throw partialError(`the ACL was set on ${done} of ${count + 1} znodes, not on`, failures);
    }
    return { kind: 'changed', path, stat, isStatShown: options.stat };
  },
});

interface Flags {
  readonly add: boolean;
  readonly remove: boolean;
  readonly 'dry-run': boolean;
}

/** The old ACL to the new one. */
interface Change {
  /** Is the new one the same whatever the old one was? */
  readonly isBlind: boolean;
  apply(present: readonly ACL[]): readonly ACL[];
}

function changeOf({ add, remove }: Flags, acl: readonly ACL[]): Change {
  const isNamed = (entry: ACL) =>
    acl.some(({ id }) => id.scheme === entry.id.scheme && id.id === entry.id.id);
  return {
    isBlind: !add && !remove,
    apply: (present) => {
      if (!add && !remove) return acl;
      const left = present.filter((entry) => !isNamed(entry));
      return add ? [...left, ...acl] : left;
    },
  };
}

/** Read where it matters; then nobody's change in between is lost. */
async function presentAcl(
  { client }: CommandContext,
  path: string,
  { add, remove }: Flags,
): Promise<{ readonly acl: readonly ACL[]; readonly aversion: number } | undefined> {
  if (!add && !remove) return undefined;
  const { acl, stat } = await client.getACL(path);
  return { acl, aversion: stat.aversion };
}

function emptyAcl(path: string): CommandError {
  return new CommandError(`nothing would be left of the ACL of ${path}`, {
    code: 'INVALIDACL',
    path,
    hint: 'an ACL has at least one entry',
  });
}

async function dryRun(
  context: CommandContext,
  root: string,
  isRecursive: boolean,
  change: Change,
): Promise<Result> {
  let count = 0;
  for await (const { path } of walk(context.client, root, context.signal)) {
    const { acl } = await context.client.getACL(path);
    const [from, to] = [formatAcl(acl), formatAcl(change.apply(acl))];
    count++;
    await context.emit({
      kind: 'message',
      text: `${path}  ${from} -> ${to}`,
      fields: { path, from, to },
    });
    if (!isRecursive) break;
  }
  return {
    kind: 'message',
    text: `${count === 1 ? '1 ACL' : `${count} ACLs`} would be set`,
    fields: { path: root, count, isDryRun: true },
  };
}

interface Below {
  readonly count: number;
  readonly failures: readonly { readonly path: string; readonly error: unknown }[];
}

const NOTHING_BELOW: Below = { count: 0, failures: [] };

/**
 * From the bottom up, and the root is left to the caller: an ACL that shuts this session out must
 * not do so before everything below has it.
 */
async function setBelow(context: CommandContext, root: string, change: Change): Promise<Below> {
  const { client } = context;
  const paths: string[] = [];
  for await (const { path } of walk(client, root, context.signal)) paths.push(path);
  paths.shift();
  const failures: { path: string; error: unknown }[] = [];
  for (const path of paths.reverse()) {
    if (context.signal.aborted) break;
    try {
      await client.setACL(path, await aclFor(client, path, change), -1);
    } catch (error) {
      if (!(error instanceof ZooKeeperError) || error.code === 'CONNECTIONLOSS') throw error;
      if (error.code !== 'NONODE') failures.push({ path, error });
    }
  }
  return { count: paths.length, failures };
}

/** The old ACL is read where it matters. */
async function aclFor(
  client: CommandContext['client'],
  path: string,
  change: Change,
): Promise<readonly ACL[]> {
  return change.apply(change.isBlind ? [] : (await client.getACL(path)).acl);
}
