import { usageError } from '../../../program/command-error.js';
import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';
import { VERSION_RANGE } from '../../engine/versions.js';
import { addEntries, changeAcl, removeEntries, replaceAcl } from './change-acl.js';

export const setAcl = defineCommand({
  name: 'setAcl',
  group: 'acl',
  summary: 'Set the ACL of a znode',
  description:
    'An ACL is scheme:id:perms[,...]; the permissions are c(reate), d(elete), r(ead), w(rite), and a(dmin). The whole ACL is rejected if an entry is invalid or if it would lock out this session. With -R, znodes that cannot be changed are reported, with exit status 9. A pattern asks for confirmation; a script must pass --yes.',
  options: {
    stat: { letter: 's', summary: 'print the new Stat' },
    version: {
      letter: 'v',
      kind: 'integer',
      ...VERSION_RANGE,
      summary: 'require this aclVersion',
    },
    recursive: { letter: 'R', summary: 'include all descendants' },
    add: { summary: 'add the entries, replacing entries with the same id' },
    remove: { summary: 'remove the entries with these ids' },
    force: { summary: 'allow an ACL that locks out this session' },
    yes: { letter: 'y', summary: 'skip the confirmation of a pattern' },
    'dry-run': { letter: 'n', summary: 'list the old and new ACLs without setting them' },
  },
  args: {
    path: { kind: 'path', glob: 'serial', summary: 'the znode, or a pattern' },
    acl: { kind: 'acl', summary: 'the entries: scheme:id:perms[,...]' },
  },
  isMutating: true,
  examples: [
    { line: 'setAcl /app world:anyone:ra', summary: 'Make a znode read-only for all clients' },
    { line: 'setAcl /app auth::cdrwa', summary: 'Restrict access to the identity of this session' },
    { line: 'setAcl --add /app ip:10.0.0.0/8:r', summary: 'Grant read access to a network' },
  ],
  check({ options, tokens }) {
    if (options.recursive && options.version !== undefined) {
      throw usageError('setAcl: cannot combine -v with -R', tokens.version);
    }
    if (options.add && options.remove)
      throw usageError('setAcl: expected only one of --add and --remove', tokens.remove);
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
