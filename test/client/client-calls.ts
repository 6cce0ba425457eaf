/** Every call of a client, and what each of its arguments takes. */
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

/** The calls of a client, by the name of the method. */
export function clientCalls(client: ZooKeeperClient): readonly Call[] {
  const call = (name: keyof ZooKeeperClient, args: unknown[], wrong: Call['wrong']): Call => ({
    name,
    args,
    wrong,
    run: (...given) => (client[name] as (...all: unknown[]) => unknown)(...given),
  });
  return [
    call('connect', [], []),
    call('close', [], []),
    call('whoAmI', [], []),
    call('updateServers', ['127.0.0.1:1'], [argument([0], 'string')]),
    call(
      'create',
      ['/a', 'x', CREATE_OPTIONS],
      [argument([1], 'undefined', ...DATA), ...createArguments([0], [2])],
    ),
    call('delete', ['/a', -1], [argument([0]), version(1)]),
    call('exists', ['/a', { watch: false }], readArguments),
    call('getData', ['/a', { watch: false }], readArguments),
    call('setData', ['/a', 'x', -1], [argument([0]), argument([1], ...DATA), version(2)]),
    call('getACL', ['/a'], [argument([0])]),
    call(
      'setACL',
      ['/a', ACL, -1],
      [argument([0]), argument([1], 'array'), ...aclArguments(1), version(2)],
    ),
    call('getChildren', ['/a', { watch: false }], readArguments),
    call('getAllChildrenNumber', ['/a'], [argument([0])]),
    call('getEphemerals', ['/a'], [argument([0], 'undefined')]),
    call('sync', ['/a'], [argument([0])]),
    call('addAuth', ['digest', 'a:b'], [argument([0], ...TEXT), argument([1], ...TEXT)]),
    call(
      'addWatch',
      ['/a', 0, true],
      [argument([0]), argument([1]), argument([2], 'boolean', 'function')],
    ),
    call(
      'removeWatches',
      ['/a', 3, false],
      [argument([0]), argument([1], 'number'), argument([2], 'undefined', 'boolean')],
    ),
    call(
      'getConfig',
      [{ watch: false }],
      readArguments.slice(1).map(({ at: [, ...keys], takes }) => argument([0, ...keys], ...takes)),
    ),
    call(
      'reconfig',
      [{ joining: 'x', leaving: 'y', members: 'z', fromConfig: 1n }],
      [
        argument([0], 'object'),
        argument([0, 'joining'], 'undefined', ...TEXT),
        argument([0, 'leaving'], 'undefined', ...TEXT),
        argument([0, 'members'], 'undefined', ...TEXT),
        argument([0, 'fromConfig'], 'undefined', 'bigint'),
      ],
    ),
    call('on', ['state', () => undefined], [argument([0]), argument([1], 'function')]),
    call('off', ['state', () => undefined], [argument([0]), argument([1], 'function')]),
    ...multiCalls(client),
  ];
}

function multiCalls(client: ZooKeeperClient): readonly Call[] {
  const multi = (op: Record<string, unknown>, wrong: Call['wrong']): Call => ({
    name: 'multi',
    args: [[op]],
    wrong: [argument([0], 'array'), argument([0, 0]), argument([0, 0, 'op']), ...wrong],
    run: (...given: [never]) => client.multi(...given),
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
