import { usageError } from '../../../program/command-error.js';
import { defineCommand } from '../../engine/command.js';
import { VERSION_RANGE } from '../../engine/versions.js';
import type { Result } from '../../results/result.js';
import { addEntries, changeAcl, removeEntries, replaceAcl } from './change-acl.js';

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
  run(context, { options, args: { path, acl } }): Promise<Result> {
    const change = options.add
      ? addEntries(acl)
      : options.remove
        ? removeEntries(acl.map(({ id }) => id))
        : replaceAcl(acl);
    return changeAcl(context, path, change, { ...options, isStatShown: options.stat });
  },
});
