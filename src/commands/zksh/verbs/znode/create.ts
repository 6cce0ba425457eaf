import type { CreateOptions, ZooKeeperClient } from '../../../../client/client.js';
import { type CreateMode, CreateModes, MAX_TTL_MS } from '../../../../protocol/create-mode.js';
import type { ACL } from '../../../../protocol/data.js';
import { parentPath } from '../../../../protocol/path.js';
import { usageError } from '../../../program/command-error.js';
import { isCode } from '../../../znodes/is-code.js';
import { defineCommand } from '../../engine/command.js';
import { checkValue, readValue } from '../../engine/read-value.js';
import type { Token } from '../../language/parse-line.js';
import type { Result } from '../../results/result.js';

export const create = defineCommand({
  name: 'create',
  group: 'znode',
  summary: 'create a znode',
  description:
    "Shows the path made, with the number of a sequential one. Without data the znode holds null; '' is empty data. Data given as @FILE or - is read from a file or from standard input, byte for byte. An ephemeral lives until its session ends, which in a script is the end of the script.",
  options: {
    sequential: { letter: 's', summary: 'let the server put a number behind the name' },
    ephemeral: { letter: 'e', summary: 'gone with this session' },
    container: { letter: 'c', summary: 'deleted by the server some time after its last child' },
    ttl: {
      letter: 't',
      kind: 'integer',
      valueName: 'TTL',
      min: 1,
      max: Number(MAX_TTL_MS),
      summary: 'deleted when unchanged and childless for so many milliseconds',
    },
    parents: { letter: 'p', summary: 'make missing parents, with the same ACL' },
    base64: { letter: 'b', summary: 'the data is base64' },
    'if-not-exists': { summary: 'be content with a znode that is there, whatever it holds' },
  },
  args: {
    path: { kind: 'path', summary: 'where; with -s it may end in /' },
    data: { kind: 'data', isOptional: true, summary: 'the data, @FILE or -' },
    acl: { kind: 'acl', isOptional: true, summary: 'default: world:anyone:cdrwa' },
  },
  surplusHint: "data of several words goes in quotes: 'two words'",
  isMutating: true,
  examples: [
    { line: "create /app 'hello world'", summary: 'a persistent znode' },
    { line: 'create -e -s /app/member-', summary: 'an ephemeral with a number' },
    { line: 'create -p /a/b/c', summary: 'and its parents' },
    { line: 'create /blob @picture.png', summary: 'data from a file' },
  ],
  check({ options, args, tokens }) {
    if (options.container && (options.sequential || options.ephemeral)) {
      throw usageError('a container is neither ephemeral nor sequential', tokens.container);
    }
    if (options.ttl !== undefined && (options.ephemeral || options.container)) {
      throw usageError('a TTL is for znodes that are neither ephemeral nor containers', tokens.ttl);
    }
    if (options['if-not-exists'] && options.sequential) {
      throw usageError('a sequential znode is always new', tokens['if-not-exists']);
    }
    checkValue(args.data, options.base64, tokens.data);
  },
  async toOp(context, { options, args, tokens }) {
    const flag = options.parents ? 'parents' : options['if-not-exists'] ? 'if-not-exists' : '';
    if (flag !== '') {
      throw usageError(`--${flag} cannot be part of a transaction`, tokens[flag]);
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
  return {
    mode: modeOf(kind),
    ...(kind.ttl === undefined ? {} : { ttl: kind.ttl }),
    ...(acl === undefined ? {} : { acl }),
  };
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

/** Goes up only as far as znodes are missing, and minds nobody who makes one at the same time. */
async function createParents(
  client: ZooKeeperClient,
  path: string,
  { acl }: CreateOptions,
): Promise<void> {
  if (path === '' || path === '/') return;
  const make = () => client.create(path, null, acl === undefined ? {} : { acl });
  try {
    await make();
  } catch (error) {
    if (isCode(error, 'NODEEXISTS')) return;
    if (!isCode(error, 'NONODE')) throw error;
    await createParents(client, parentPath(path), acl === undefined ? {} : { acl });
    await make();
  }
}
