/** Every call of a client, and the kinds of arguments that it accepts. */
import { CreateModes, type ZooKeeperClient } from '../../src/client/index.js';
import { argument, type Call, type Kind } from '../support/arguments/wrong-kinds.js';

const ACL = [{ perms: 31, id: { scheme: 'world', id: 'anyone' } }];
const TEXT: readonly Kind[] = ['string', "''"];
const INT: readonly Kind[] = ['number', '-1'];
const DATA: readonly Kind[] = [...TEXT, 'null'];

const readArguments = [
  argument([0]),
  argument([1], 'undefined', 'object'),
  argument([1, 'watch'], 'undefined', 'boolean', 'function'),
  argument([1, 'signal'], 'undefined'),
  argument([1, 'timeoutMs'], 'undefined', 'number'),
];
/** The limits of a call. */
const LIMITS = { signal: undefined, timeoutMs: 60_000 };
const limitArguments = (index: number) => [
  argument([index], 'undefined', 'object'),
  argument([index, 'signal'], 'undefined'),
  argument([index, 'timeoutMs'], 'undefined', 'number'),
];
const version = (index: number) => argument([index], 'undefined', ...INT);
const aclArguments = (...place: [number, ...(string | number)[]]) => [
  argument([...place, 0]),
  argument([...place, 0, 'perms'], ...INT),
  argument([...place, 0, 'id']),
  argument([...place, 0, 'id', 'scheme'], ...TEXT),
  argument([...place, 0, 'id', 'id'], ...TEXT),
];
const createArguments = (path: [number, ...(string | number)[]], options: typeof path) => [
  argument(path),
  argument(options, 'undefined', 'object'),
  argument([...options, 'mode'], 'undefined'),
  argument([...options, 'acl'], 'undefined', 'array'),
  argument([...options, 'ttl'], 'number', '2^31'),
  ...aclArguments(...options, 'acl'),
];
const CREATE_OPTIONS = { mode: CreateModes.PERSISTENT_WITH_TTL, acl: ACL, ttl: 1000 };

const WATCH_OPTIONS = { recursive: true, signal: undefined, maxQueued: 1 };

/** The calls of a client, by method name. */
export function clientCalls(client: ZooKeeperClient): readonly Call[] {
  const call = callOf(client);
  return [
    call('connect', [{ signal: LIMITS.signal }], limitArguments(0).slice(0, 2)),
    call('close', [], []),
    call('whoAmI', [LIMITS], limitArguments(0)),
    call('within', ['/a'], [argument([0])]),
    call('updateServers', ['127.0.0.1:1'], [argument([0], 'string')]),
    call(
      'create',
      ['/a', 'x', { ...CREATE_OPTIONS, ...LIMITS }],
      [
        ...limitArguments(2).slice(1),
        argument([1], 'undefined', ...DATA),
        ...createArguments([0], [2]),
      ],
    ),
    call('delete', ['/a', -1, LIMITS], [argument([0]), version(1), ...limitArguments(2)]),
    call('exists', ['/a', { watch: false, ...LIMITS }], readArguments),
    call('getData', ['/a', { watch: false, ...LIMITS }], readArguments),
    call(
      'setData',
      ['/a', 'x', -1, LIMITS],
      [argument([0]), argument([1], ...DATA), version(2), ...limitArguments(3)],
    ),
    call('getACL', ['/a', LIMITS], [argument([0]), ...limitArguments(1)]),
    call(
      'setACL',
      ['/a', ACL, -1, LIMITS],
      [argument([0]), argument([1], 'array'), ...aclArguments(1), version(2), ...limitArguments(3)],
    ),
    call('getChildren', ['/a', { watch: false, ...LIMITS }], readArguments),
    call('getAllChildrenNumber', ['/a', LIMITS], [argument([0]), ...limitArguments(1)]),
    call('getEphemerals', ['/a', LIMITS], [argument([0], 'undefined'), ...limitArguments(1)]),
    call('sync', ['/a', LIMITS], [argument([0]), ...limitArguments(1)]),
    call(
      'multiRead',
      [[{ op: 'getData', path: '/a' }], LIMITS],
      [
        argument([0], 'array'),
        argument([0, 0]),
        argument([0, 0, 'op']),
        argument([0, 0, 'path']),
        ...limitArguments(1),
      ],
    ),
    {
      ...call(
        'watch',
        ['/a', WATCH_OPTIONS],
        [
          argument([0]),
          argument([1], 'undefined', 'object'),
          argument([1, 'recursive'], 'undefined', 'boolean'),
          argument([1, 'signal'], 'undefined'),
          argument([1, 'maxQueued'], 'undefined', 'number', '2^31'),
        ],
      ),
      // The check is that of the first step of the loop.
      run: (...given: [string]) => client.watch(...given).next(),
    },
    ...otherCalls(client),
    ...multiCalls(client),
  ];
}

const callOf =
  (client: ZooKeeperClient) =>
  (name: keyof ZooKeeperClient & string, args: unknown[], wrong: Call['wrong']): Call => ({
    name,
    args,
    wrong,
    run: (...given) => (client[name] as (...all: unknown[]) => unknown)(...given),
  });

/** The calls that are not about znodes. */
function otherCalls(client: ZooKeeperClient): readonly Call[] {
  const call = callOf(client);
  return [
    call(
      'addAuth',
      ['digest', 'a:b', LIMITS],
      [argument([0], ...TEXT), argument([1], ...TEXT), ...limitArguments(2)],
    ),
    call(
      'addWatch',
      ['/a', 0, true, LIMITS],
      [argument([0]), argument([1]), argument([2], 'boolean', 'function'), ...limitArguments(3)],
    ),
    call(
      'removeWatches',
      ['/a', 3, false, { ...LIMITS, watcher: undefined }],
      [
        argument([0]),
        argument([1], 'number'),
        argument([2], 'undefined', 'boolean'),
        ...limitArguments(3),
        argument([3, 'watcher'], 'undefined', 'function', 'boolean'),
      ],
    ),
    call(
      'getConfig',
      [{ watch: false, ...LIMITS }],
      readArguments.slice(1).map(({ at: [, ...keys], takes }) => argument([0, ...keys], ...takes)),
    ),
    call(
      'reconfig',
      [{ joining: 'x', leaving: 'y', members: 'z', fromConfig: 1n }, LIMITS],
      [
        ...limitArguments(1),
        argument([0], 'object'),
        argument([0, 'joining'], 'undefined', ...TEXT),
        argument([0, 'leaving'], 'undefined', ...TEXT),
        argument([0, 'members'], 'undefined', ...TEXT),
        argument([0, 'fromConfig'], 'undefined', 'bigint'),
      ],
    ),
    call('on', ['state', () => undefined], [argument([0]), argument([1], 'function')]),
    call('once', ['state', () => undefined], [argument([0]), argument([1], 'function')]),
    call('off', ['state', () => undefined], [argument([0]), argument([1], 'function')]),
  ];
}

function multiCalls(client: ZooKeeperClient): readonly Call[] {
  const multi = (op: Record<string, unknown>, wrong: Call['wrong']): Call => ({
    name: 'multi',
    args: [[op], LIMITS],
    wrong: [
      ...limitArguments(1),
      argument([0], 'array'),
      argument([0, 0]),
      argument([0, 0, 'op']),
      ...wrong,
    ],
    run: (...given: [never, never]) => client.multi(...given),
  });
  return [
    multi({ op: 'create', path: '/a', data: 'x', options: CREATE_OPTIONS }, [
      argument([0, 0, 'data'], 'undefined', ...DATA),
      ...createArguments([0, 0, 'path'], [0, 0, 'options']),
    ]),
    multi({ op: 'delete', path: '/a', version: 1 }, [
      argument([0, 0, 'path']),
      argument([0, 0, 'version'], 'undefined', ...INT),
    ]),
    multi({ op: 'set', path: '/a', data: 'x', version: 1 }, [
      argument([0, 0, 'path']),
      argument([0, 0, 'data'], ...DATA),
      argument([0, 0, 'version'], 'undefined', ...INT),
    ]),
    multi({ op: 'check', path: '/a', version: 1 }, [
      argument([0, 0, 'path']),
      argument([0, 0, 'version'], ...INT),
    ]),
  ];
}
