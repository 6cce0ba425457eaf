import { ZooKeeperError } from '../../client/errors.js';
import type { ACL } from '../../protocol/data.js';
import { type CommandContext, defineCommand } from '../command.js';
import { usageError } from '../command-error.js';
import type { Result } from '../result.js';
import { VERSION_RANGE } from '../versions.js';
import { partialError, walk } from '../walk.js';

export const setAcl = defineCommand({
  name: 'setAcl',
  group: 'acl',
  summary: 'set the ACL of a znode',
  description:
    'An ACL is scheme:id:perms[,...]; the permissions are c(reate) d(elete) r(ead) w(rite) a(dmin). One wrong entry refuses the whole ACL. With -R, what cannot be changed is named, and makes the exit code 9.',
  options: {
    stat: { letter: 's', summary: 'show the Stat it has then' },
    version: {
      letter: 'v',
      kind: 'integer',
      ...VERSION_RANGE,
      summary: 'only if this is still its aclVersion',
    },
    recursive: { letter: 'R', summary: 'everything below, too' },
  },
  args: {
    path: { kind: 'path', summary: 'the znode' },
    acl: { kind: 'acl', summary: 'its entries: scheme:id:perms[,...]' },
  },
  isMutating: true,
  examples: [
    { line: 'setAcl /app world:anyone:r', summary: 'all may read, none may change' },
    { line: 'setAcl /app auth::cdrwa', summary: 'only those authenticated as this session is' },
  ],
  check({ options, tokens }) {
    if (options.recursive && options.version !== undefined) {
      throw usageError('-v is for one znode, not with -R', tokens.version);
    }
  },
  async run(context, { options, args: { path, acl } }): Promise<Result> {
    const below = options.recursive ? await setBelow(context, path, acl) : NOTHING_BELOW;
    const stat = await context.client.setACL(path, acl, options.version ?? -1);
    const { failures, count } = below;
    if (failures.length > 0) {
      const done = count + 1 - failures.length;
      throw partialError(`the ACL was set on ${done} of ${count + 1} znodes, not on`, failures);
    }
    return { kind: 'changed', path, stat, isStatShown: options.stat };
  },
});

interface Below {
  readonly count: number;
  readonly failures: readonly { readonly path: string; readonly error: unknown }[];
}

const NOTHING_BELOW: Below = { count: 0, failures: [] };

/**
 * From the bottom up, and the root is left to the caller: an ACL that shuts this session out must
 * not do so before everything below has it.
 */
async function setBelow(
  context: CommandContext,
  root: string,
  acl: readonly ACL[],
): Promise<Below> {
  const paths: string[] = [];
  for await (const { path } of walk(context.client, root, context.signal)) paths.push(path);
  paths.shift();
  const failures: { path: string; error: unknown }[] = [];
  for (const path of paths.reverse()) {
    if (context.signal.aborted) break;
    try {
      await context.client.setACL(path, acl, -1);
    } catch (error) {
      if (!(error instanceof ZooKeeperError) || error.code === 'CONNECTIONLOSS') throw error;
      if (error.code !== 'NONODE') failures.push({ path, error });
    }
  }
  return { count: paths.length, failures };
}
