/** Every function of the entry that works on a client, and what each of its arguments takes. */
import * as entry from '../../src/client/index.js';
import { argument, type Call, type Kind } from '../support/arguments/wrong-kinds.js';
import { FakeClient } from '../support/peers/fake-client.js';

const TEXT: readonly Kind[] = ['string', "''"];
const POLICY = { attempts: 1, firstDelayMs: 1, longestDelayMs: 1, totalMs: 1 };
const PACE = { inFlight: 1, perSecond: 1, signal: undefined };
const CODEC = { encode: () => '', decode: () => '' };
const options = (index: number, fields: Readonly<Record<string, readonly Kind[]>>) => [
  argument([index], 'undefined', 'object'),
  ...Object.entries(fields).map(([key, kinds]) => argument([index, key], 'undefined', ...kinds)),
];
const policyFields = Object.fromEntries(
  Object.keys(POLICY).map((key) => [key, ['number'] as const]),
);
const paceFields = { inFlight: ['number'], perSecond: ['number'], signal: [] } as const;
const codecArguments = (index: number) => [
  argument([index]),
  argument([index, 'encode'], 'function'),
  argument([index, 'decode'], 'function'),
];
const CLIENT = argument([0]);

export function convenienceCalls(): readonly Call[] {
  const client = new FakeClient();
  return [
    ...retryCalls(client),
    ...znodeCalls(client),
    ...valueCalls(client),
    {
      name: 'dnsSrvHosts',
      args: ['srv://_zookeeper._tcp.example.org', async () => []],
      wrong: [argument([0]), argument([1], 'undefined', 'function')],
      run: entry.dnsSrvHosts,
    },
    {
      name: 'connectTo',
      args: [{ connectString: async () => '' }, { refreshMs: 1 }],
      wrong: [
        argument([0]),
        argument([0, 'connectString'], 'function'),
        ...options(1, { refreshMs: ['number'], timeoutMs: ['number'], signal: [] }),
      ],
      run: entry.connectTo,
    },
  ];
}

function retryCalls(client: FakeClient): readonly Call[] {
  return [
    {
      name: 'retry',
      args: [async () => undefined, { ...POLICY, isIdempotent: true, signal: undefined }],
      wrong: [
        argument([0], 'function'),
        ...options(1, { ...policyFields, isIdempotent: ['boolean'], signal: [] }),
      ],
      run: entry.retry,
    },
    {
      name: 'retryingClient',
      args: [client, POLICY],
      wrong: [CLIENT, ...options(1, policyFields)],
      run: entry.retryingClient,
    },
  ];
}

function znodeCalls(client: FakeClient): readonly Call[] {
  return [
    {
      name: 'mkdirp',
      args: [client, '/a', { areContainers: false, signal: undefined }],
      wrong: [
        CLIENT,
        argument([1], ...TEXT, 'lone surrogate'),
        ...options(2, {
          data: [...TEXT, 'null'],
          areContainers: ['boolean'],
          signal: [],
          acl: ['array'],
        }),
      ],
      run: entry.mkdirp,
    },
    {
      name: 'createIfMissing',
      args: [client, '/a', '', {}],
      wrong: [CLIENT],
      run: entry.createIfMissing,
    },
    {
      name: 'walk',
      args: [client, '/', PACE],
      wrong: [CLIENT, ...options(2, paceFields)],
      run: (...given: [never, never]) => entry.walk(...given).next(),
    },
    {
      name: 'deleteAll',
      args: [client, '/missing', { ...PACE, onProgress: () => undefined }],
      wrong: [CLIENT, ...options(2, { ...paceFields, onProgress: ['function'] })],
      run: entry.deleteAll,
    },
    { name: 'transaction', args: [client], wrong: [CLIENT], run: entry.transaction },
    ...transactionCalls(entry.transaction(client)),
    {
      name: 'openTreeCache',
      args: [client, '/', { ...PACE, onChange: () => undefined, onError: () => undefined }],
      wrong: [
        CLIENT,
        argument([1], ...TEXT),
        ...options(2, {
          ...paceFields,
          onChange: ['function'],
          onError: ['function'],
          depth: ['number'],
        }),
      ],
      run: entry.openTreeCache,
    },
  ];
}

const VERSION = ['undefined', 'number', '-1'] as const;

/** A transaction refuses an argument at its own call, not at the commit. */
function transactionCalls(begun: entry.Transaction<[]>): readonly Call[] {
  return [
    {
      name: 'transaction.create',
      args: ['/a', 'x', {}],
      wrong: [argument([0]), argument([1], ...TEXT, 'null', 'undefined'), ...options(2, {})],
      run: begun.create,
    },
    {
      name: 'transaction.delete',
      args: ['/a', 1],
      wrong: [argument([0]), argument([1], ...VERSION)],
      run: begun.delete,
    },
    {
      name: 'transaction.set',
      args: ['/a', 'x', 1],
      wrong: [argument([0]), argument([1], ...TEXT, 'null'), argument([2], ...VERSION)],
      run: begun.set,
    },
    {
      name: 'transaction.check',
      args: ['/a', 1],
      wrong: [argument([0]), argument([1], 'number', '-1')],
      run: begun.check,
    },
  ];
}

function valueCalls(client: FakeClient): readonly Call[] {
  return [
    {
      name: 'jsonCodec',
      args: [(value: unknown) => value],
      wrong: [argument([0], 'undefined', 'function')],
      run: entry.jsonCodec,
    },
    {
      name: 'getValue',
      args: [client, '/', CODEC],
      wrong: [CLIENT, ...codecArguments(2)],
      run: entry.getValue,
    },
    {
      name: 'setValue',
      args: [client, '/', CODEC, ''],
      wrong: [CLIENT, ...codecArguments(2)],
      run: entry.setValue,
    },
    {
      name: 'updateValue',
      args: [client, '/', CODEC, () => '', { attempts: 1, signal: undefined }],
      wrong: [
        CLIENT,
        ...codecArguments(2),
        argument([3], 'function'),
        ...options(4, { attempts: ['number'], signal: [] }),
      ],
      run: entry.updateValue,
    },
  ];
}
