import type { ZooKeeperClient } from '../../client/base/client.js';
import { ExitCode } from '../../commands/program/command-error.js';
import { isCode } from '../../commands/znodes/is-code.js';
import { compareNames } from '../../commands/znodes/walk.js';
import { CreateModes } from '../../protocol/create-mode.js';
import { childPath, isWithin } from '../../protocol/path.js';
import { formatPerms } from '../../protocol/perms.js';
import { integer, oneOf, text } from '../api/schema.js';
import { Changed, Children, Deleted, Subtree, Znode } from '../api/shapes.js';
import { badRequest, HttpProblem } from '../problem.js';
import { type ApiCall, type Route, route } from '../route.js';
import { statShape } from '../stat-shape.js';
import { countSubtree, deleteSubtree } from '../subtrees.js';

const SYSTEM = '/zookeeper';
const path = text('absolute');

const getZnode = route({
  method: 'GET',
  path: '/znode',
  summary: 'Show data, Stat, and ACL of a znode; the version is its ETag',
  required: { path },
  answer: Znode,
  problems: [404],
  run: async ({ session }, given) => {
    const client = await session.client();
    const [{ data, stat }, acl] = await Promise.all([
      client.getData(given.path),
      aclOf(client, given.path),
    ]);
    const value = {
      path: given.path,
      data: data?.toString('base64') ?? null,
      stat: statShape(stat),
      acl,
    };
    return { value, headers: { etag: `"${stat.version}"` } };
  },
});

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

/** @throws HttpProblem for znodes below /zookeeper, which have their own tools */
function refuseSystem(of: string): void {
  if (!isWithin(of, SYSTEM)) return;
  throw new HttpProblem(403, 'PROTECTED', `${of}: reserved for the servers`, {
    path: of,
    hint: 'use zksh, with reconfig and setquota',
  });
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
  run: async ({ session }, given, call) => {
    refuseSystem(given.path);
    const version = expectedVersion(call);
    const client = await session.client();
    const stat = await client.setData(given.path, call.body, version);
    return {
      value: { path: given.path, stat: statShape(stat) },
      headers: { etag: `"${stat.version}"` },
    };
  },
});

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
  run: async ({ session }, given, { body }) => {
    refuseSystem(given.path);
    const client = await session.client();
    const mode = MODES[given.mode ?? 'persistent'];
    const created = await client.create(given.path, body, { mode });
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
  run: async ({ session }, { path: root, count }, call) => {
    refuseSystem(root);
    if (root === '/') throw badRequest('path: / cannot be deleted');
    const version = expectedVersion(call);
    const client = await session.client();
    if (count === undefined) {
      await client.delete(root, version);
      return { value: { path: root, count: 1 } };
    }
    await deleteSubtree(client, root, { count, version });
    return { value: { path: root, count } };
  },
});

const subtree = route({
  method: 'GET',
  path: '/subtree',
  summary: 'Count a subtree, up to 10,000 znodes, and show its first paths',
  required: { path },
  answer: Subtree,
  problems: [404],
  run: async ({ session }, given) => ({
    value: await countSubtree(await session.client(), given.path),
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
  run: async ({ session, listings }, given) => {
    const { limit = 100, find } = given;
    const client = await session.client();
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
  postZnode,
  deleteZnode,
  subtree,
  children,
];
