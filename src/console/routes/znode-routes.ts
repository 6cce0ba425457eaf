import type { ZooKeeperClient } from '../../client/base/client.js';
import { isCode } from '../../client/base/errors.js';
import { CommandError } from '../../commands/program/command-error.js';
import { ExitCode } from '../../commands/program/exit-status.js';
import { compressionOf, decompress } from '../../commands/znodes/decompress.js';
import { AclSyntaxError, parseAcl } from '../../commands/znodes/parse-acl.js';
import { refuseLockout } from '../../commands/znodes/self-lockout.js';
import { CreateModes } from '../../protocol/create-mode.js';
import type { ACL } from '../../protocol/data.js';
import { childPath, compareNames } from '../../protocol/path.js';
import { formatPerms } from '../../protocol/perms.js';
import { flag, integer, oneOf, text } from '../api/schema.js';
import { Changed, Children, Deleted, Subtree, Znode } from '../api/shapes.js';
import { badRequest, HttpProblem } from '../problem.js';
import { type ApiCall, type Route, route } from '../route.js';
import { statShape } from '../stat-shape.js';
import { countSubtree, deleteSubtree } from '../subtrees.js';

const path = text('absolute');
const MAX_UNPACKED_LENGTH = 8 * 1024 * 1024;

const getZnode = route({
  method: 'GET',
  path: '/znode',
  summary: 'Show data, Stat, and ACL of a znode; the version is its ETag',
  required: { path },
  optional: { decompress: flag('show the data decompressed, up to 8 MiB') },
  answer: Znode,
  problems: [404, 422],
  run: async ({ client: open }, given) => {
    const client = await open();
    const [{ data, stat }, acl] = await Promise.all([
      client.getData(given.path),
      aclOf(client, given.path),
    ]);
    const shown = given.decompress === true ? unpacked(given.path, data) : data;
    const value = {
      path: given.path,
      data: shown?.toString('base64') ?? null,
      compression: (data && compressionOf(data)) ?? null,
      stat: statShape(stat),
      acl,
    };
    return { value, headers: { etag: `"${stat.version}"` } };
  },
});

/** @throws HttpProblem */
function unpacked(of: string, data: Buffer | null): Buffer {
  const found = data === null ? undefined : decompress(data, MAX_UNPACKED_LENGTH);
  if (found !== undefined) return found.data;
  const detail = `${of}: data is not compressed, is damaged, or has more than 8 MiB decompressed`;
  throw new HttpProblem(422, 'NOTCOMPRESSED', detail, { path: of });
}

/** Null without permission to read it. */
async function aclOf(client: ZooKeeperClient, of: string) {
  try {
    const { acl } = await client.getACL(of);
    return acl.map(({ perms, id }) => ({ ...id, perms: formatPerms(perms) }));
  } catch (error) {
    if (isCode(error, 'NOAUTH')) return null;
    throw error;
  }
}

/** The version of If-Match, -1 for any. @throws HttpProblem */
function expectedVersion({ request }: ApiCall): number {
  const given = request.headers['if-match'];
  if (given === undefined) {
    throw new HttpProblem(428, 'USAGE', 'If-Match is missing', {
      exitCode: ExitCode.usage,
      hint: 'send If-Match: "N" with the version that you read, or If-Match: * for any',
    });
  }
  if (given === '*') return -1;
  const version = /^"?(\d{1,10})"?$/.exec(given)?.[1];
  if (version === undefined) throw badRequest(`If-Match: expected "N" or *, found ${given}`);
  return Number(version);
}

const putZnode = route({
  method: 'PUT',
  path: '/znode',
  summary: 'Replace the data of a znode, if its version is that of If-Match',
  required: { path },
  takes: ['bytes', 'if-match'],
  answer: Changed,
  problems: [404, 412, 413, 428],
  run: async ({ change, protectedPaths }, given, call) => {
    protectedPaths.check(given.path);
    const version = expectedVersion(call);
    const stat = await change(`set ${given.path}`, (client) =>
      client.setData(given.path, call.body, version),
    );
    return {
      value: { path: given.path, stat: statShape(stat) },
      headers: { etag: `"${stat.version}"` },
    };
  },
});

const putAcl = route({
  method: 'PUT',
  path: '/acl',
  summary: 'Replace the ACL of a znode, if its aversion is that of If-Match',
  required: { path },
  takes: ['bytes', 'if-match'],
  answer: Changed,
  problems: [404, 409, 412, 428],
  run: async ({ change, client, protectedPaths }, given, call) => {
    protectedPaths.check(given.path);
    const version = expectedVersion(call);
    const acl = readAcl(call.body.toString('utf8'));
    await refuseLockout(await client(), given.path, acl).catch(withoutForce);
    const stat = await change(`setAcl ${given.path}`, (recorded) =>
      recorded.setACL(given.path, acl, version),
    );
    return {
      value: { path: given.path, stat: statShape(stat) },
      headers: { etag: `"${stat.aversion}"` },
    };
  },
});

/** @throws HttpProblem */
function readAcl(text: string): readonly ACL[] {
  try {
    return parseAcl(text.trim());
  } catch (error) {
    if (!(error instanceof AclSyntaxError)) throw error;
    const { message, hint } = error;
    throw new HttpProblem(400, 'INVALIDACL', message, { exitCode: ExitCode.usage, hint });
  }
}

/** The console has no --force. */
function withoutForce(error: unknown): never {
  if (!(error instanceof CommandError) || error.code !== 'LOCKOUT') throw error;
  const { code, message, path: of } = error;
  const hint = 'grant a (admin) to an id of this session, or use zksh: setAcl --force';
  throw new HttpProblem(409, code, message, { path: of, hint });
}

const MODES = {
  persistent: CreateModes.PERSISTENT,
  sequential: CreateModes.PERSISTENT_SEQUENTIAL,
  container: CreateModes.CONTAINER,
} as const;

const postZnode = route({
  method: 'POST',
  path: '/znode',
  summary: 'Create a znode with the ACL world:anyone:cdrwa',
  required: { path },
  optional: { mode: oneOf(['persistent', 'sequential', 'container']) },
  takes: ['bytes'],
  answer: Changed,
  status: 201,
  problems: [404, 409, 413],
  run: async ({ change, protectedPaths }, given, { body }) => {
    protectedPaths.check(given.path);
    const mode = MODES[given.mode ?? 'persistent'];
    const created = await change(`create ${given.path}`, (client) =>
      client.create(given.path, body, { mode }),
    );
    return { value: { path: created.path, stat: statShape(created.stat) } };
  },
});

const deleteZnode = route({
  method: 'DELETE',
  path: '/znode',
  summary: 'Delete a znode, if its version is that of If-Match; with count, its subtree',
  required: { path },
  optional: {
    count: integer('expected size of the subtree, from /subtree'),
  },
  takes: ['if-match'],
  answer: Deleted,
  problems: [404, 409, 412, 428],
  run: async ({ change, protectedPaths }, { path: root, count }, call) => {
    if (root === '/') throw badRequest('path: / cannot be deleted');
    protectedPaths.checkSubtree(root);
    const version = expectedVersion(call);
    await change(`delete ${root}`, (client) =>
      count === undefined
        ? client.delete(root, version)
        : deleteSubtree(client, root, { count, version }),
    );
    return { value: { path: root, count: count ?? 1 } };
  },
});

const subtree = route({
  method: 'GET',
  path: '/subtree',
  summary: 'Count a subtree, up to 10,000 znodes, and show its first paths',
  required: { path },
  answer: Subtree,
  problems: [404],
  run: async ({ client }, given) => ({
    value: await countSubtree(await client(), given.path),
  }),
});

const children = route({
  method: 'GET',
  path: '/children',
  summary: 'Show a page of the children, in the order of their names',
  required: { path },
  optional: {
    offset: integer('index of the first child', { default: 0 }),
    limit: integer(undefined, { minimum: 1, maximum: 500, default: 100 }),
    find: text('return the page with this name; replaces "offset"'),
  },
  answer: Children,
  problems: [404],
  run: async ({ client: open, listings }, given) => {
    const { limit = 100, find } = given;
    const client = await open();
    const names = await listings.names(client, given.path);
    const index = find === undefined ? -1 : indexOf(names, find);
    const offset = index === -1 ? (given.offset ?? 0) : index - (index % limit);
    const page = names.slice(offset, offset + limit);
    const found = await Promise.all(page.map((name) => childOf(client, given.path, name)));
    return {
      value: {
        path: given.path,
        total: names.length,
        offset,
        index: index === -1 ? null : index,
        children: found.flatMap((child) => child ?? []),
      },
    };
  },
});

async function childOf(client: ZooKeeperClient, parent: string, name: string) {
  const stat = await client.exists(childPath(parent, name));
  if (stat === null) return undefined;
  const { numChildren, dataLength, version, modified, ephemeralOwner } = statShape(stat);
  return { name, numChildren, dataLength, version, modified, ephemeralOwner };
}

function indexOf(names: readonly string[], name: string): number {
  let [from, to] = [0, names.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (compareNames(names[middle] ?? '', name) < 0) from = middle + 1;
    else to = middle;
  }
  return names[from] === name ? from : -1;
}

export const ZNODE_ROUTES: readonly Route[] = [
  getZnode,
  putZnode,
  putAcl,
  postZnode,
  deleteZnode,
  subtree,
  children,
];
