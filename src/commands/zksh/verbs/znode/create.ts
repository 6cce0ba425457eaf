import type { CreateOptions, ZooKeeperClient } from '../../../../client/base/client.js';
import { isCode } from '../../../../client/base/errors.js';
import { type CreateMode, CreateModes, MAX_TTL_MS } from '../../../../protocol/create-mode.js';
import type { ACL } from '../../../../protocol/data.js';
import { parentPath } from '../../../../protocol/path.js';
import { usageError } from '../../../program/command-error.js';
import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';
import { checkValue, readValue } from '../../engine/read-value.js';
import type { Token } from '../../language/parse-line.js';

export const create = defineCommand({
  name: 'create',
  group: 'znode',
  summary: 'Create a znode',
  description:
    "Prints the created path, including the number of a sequential znode. Without data, the znode stores null; '' stores empty data. @FILE reads the data from a file and - from standard input, byte for byte. An ephemeral lives until its session ends. A script's session ends with the script.",
  options: {
    sequential: { letter: 's', summary: 'append a sequence number to the name' },
    ephemeral: { letter: 'e', summary: 'delete the znode when this session ends' },
    container: {
      letter: 'c',
      summary: 'delete the znode some time after its last child is deleted',
    },
    ttl: {
      letter: 't',
      kind: 'duration',
      valueName: 'TTL',
      min: 1,
      max: Number(MAX_TTL_MS),
      summary: 'delete the znode after TTL (5m, 2d) without children or changes',
    },
    parents: { letter: 'p', summary: 'create missing parents with the same ACL' },
    base64: { letter: 'b', summary: 'decode the data from base64' },
    'if-not-exists': { summary: 'succeed if the znode already exists, whatever its data' },
  },
  args: {
    path: { kind: 'path', summary: 'the path; with -s it may end in /' },
    data: { kind: 'data', isOptional: true, summary: 'the data, @FILE, or -' },
    acl: { kind: 'acl', isOptional: true, summary: 'default: world:anyone:cdrwa' },
  },
  surplusHint: "quote data that contains spaces: 'two words'",
  isMutating: true,
  examples: [
    { line: "create /app 'hello world'", summary: 'Create a persistent znode' },
    {
      line: 'create -e -s /app/member-',
      summary: 'Register a member with an ephemeral sequential znode',
    },
    { line: 'create -p /a/b/c', summary: 'Create a znode and its missing parents' },
    { line: 'create /blob @picture.png', summary: 'Store a file' },
  ],
  check({ options, args, tokens }) {
    if (options.container && (options.sequential || options.ephemeral)) {
      throw usageError('create: cannot combine -c with -e or -s', tokens.container);
    }
    if (options.ttl !== undefined && (options.ephemeral || options.container)) {
      throw usageError('create: cannot combine --ttl with -e or -c', tokens.ttl);
    }
    if (options['if-not-exists'] && options.sequential) {
      throw usageError('create: cannot combine --if-not-exists with -s', tokens['if-not-exists']);
    }
    checkValue(args.data, options.base64, tokens.data);
  },
  async toOp(context, { options, args, tokens }) {
    const flag = options.parents ? 'parents' : options['if-not-exists'] ? 'if-not-exists' : '';
    if (flag !== '') {
      throw usageError(`create: --${flag} cannot be part of a transaction`, tokens[flag]);
    }
    const data = await readValue(context, args.data, options.base64, tokens.data);
    return {
      op: 'create',
      path: pathFor(options, args.path, tokens.path),
      data,
      options: howOf(options, args.acl),
    };
  },
  async run(context, { options, args, tokens }): Promise<Result> {
    const data = await readValue(context, args.data, options.base64, tokens.data);
    const path = pathFor(options, args.path, tokens.path);
    const how = howOf(options, args.acl);
    const make = () => context.client.create(path, data, how);
    let made: Awaited<ReturnType<typeof make>>;
    try {
      made = await make();
    } catch (error) {
      if (options['if-not-exists'] && isCode(error, 'NODEEXISTS')) {
        return { kind: 'done', done: 'exists', path };
      }
      if (!options.parents || !isCode(error, 'NONODE')) throw error;
      await createParents(context.client, parentPath(path), how);
      made = await make();
    }
    return { kind: 'created', path: made.path, stat: made.stat };
  },
});

interface Kind {
  readonly sequential: boolean;
  readonly ephemeral: boolean;
  readonly container: boolean;
  readonly ttl: number | undefined;
}

/** A sequential name may be its number alone: "/a/". */
function pathFor({ sequential }: Kind, path: string, token: Token | undefined): string {
  const isUnder = sequential && token?.text.endsWith('/') === true;
  return isUnder && path !== '/' ? `${path}/` : path;
}

function howOf(kind: Kind, acl: readonly ACL[] | undefined): CreateOptions {
  return { mode: modeOf(kind), ttl: kind.ttl, acl };
}

function modeOf(options: Kind): CreateMode {
  const { sequential, ephemeral, container, ttl } = options;
  if (container) return CreateModes.CONTAINER;
  if (ttl !== undefined) {
    return sequential
      ? CreateModes.PERSISTENT_SEQUENTIAL_WITH_TTL
      : CreateModes.PERSISTENT_WITH_TTL;
  }
  if (ephemeral) return sequential ? CreateModes.EPHEMERAL_SEQUENTIAL : CreateModes.EPHEMERAL;
  return sequential ? CreateModes.PERSISTENT_SEQUENTIAL : CreateModes.PERSISTENT;
}

/** Climbs only to the first existing parent. Other clients may create the same parents. */
async function createParents(
  client: ZooKeeperClient,
  path: string,
  { acl }: CreateOptions,
): Promise<void> {
  if (path === '' || path === '/') return;
  const make = () => client.create(path, null, { acl });
  try {
    await make();
  } catch (error) {
    if (isCode(error, 'NODEEXISTS')) return;
    if (!isCode(error, 'NONODE')) throw error;
    await createParents(client, parentPath(path), { acl });
    await make();
  }
}
