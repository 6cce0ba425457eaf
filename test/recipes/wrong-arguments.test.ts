import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ZooKeeperClient } from '../../src/client/base/client.js';
import { createClient } from '../../src/client/zookeeper.js';
import * as entry from '../../src/recipes/index.js';
import {
  argument,
  type Call,
  faultsOf,
  unknownNameFaults,
} from '../support/arguments/wrong-kinds.js';
import { startBundled } from '../support/bundled.js';
import { CURATOR_CALLS } from './curator-calls.js';
import { RECIPES, type Recipe, type RecipeCalls, TEXT, WAIT, waitAt } from './recipe-calls.js';

const ALL = [...RECIPES, ...CURATOR_CALLS];

// Passes every wrong kind of value as every argument of every recipe, and an option of an unknown
// name in every object. Each is refused with a sentence, and no znode is created.

/** The first value of a generator, or the promise itself. */
function begun(outcome: unknown): unknown {
  const isGenerator = typeof outcome === 'object' && outcome !== null && 'next' in outcome;
  return isGenerator ? (outcome as AsyncGenerator).next() : outcome;
}

function callsOf(client: ZooKeeperClient, calls: RecipeCalls): Call[] {
  const { recipe, options, made, methods, place: path = '/made-of-nothing' } = calls;
  const instance = new recipe(client, path as string, options as never) as Record<string, unknown>;
  const construct = (...args: unknown[]) =>
    new (recipe as new (...all: unknown[]) => object)(...args);
  return [
    { name: recipe.name, args: [client, path, options], wrong: made, run: construct },
    ...Object.entries(methods).map(([name, [args, wrong]]) => ({
      name: `${recipe.name}.${name}`,
      args,
      wrong,
      run: (...given: unknown[]) =>
        begun((instance[name] as (...all: unknown[]) => unknown).apply(instance, given)),
    })),
  ];
}

/** Errors that programs only catch. */
const ERROR_CLASSES = ['RecipeError'];
/** Tested one by one. */
const FUNCTIONS = [
  'ServiceProvider',
  'ServiceCache',
  'PersistentNode',
  'encodeServiceInstance',
  'decodeServiceInstance',
];

/** Public methods of a recipe, with those of its base class. */
function methodsOf(recipe: Recipe): readonly string[] {
  const internal =
    /^(constructor|waitOf|putAs|remove[A-Z]|entry|numberOf|firstOf|untilItem|collect|decided|votes|write|found|siteNode|isReady|present|dropStaleReady|leaveWith|acknowledgement|within|voteWithin|attempt|change|countOf|requireCount)$/;
  const names: string[] = [];
  for (let type = recipe.prototype; type !== Object.prototype; type = Object.getPrototypeOf(type)) {
    names.push(...Object.getOwnPropertyNames(type).filter((name) => !internal.test(name)));
  }
  return names;
}

function providerCalls(cache: entry.ServiceCache): Call[] {
  const provider = new entry.ServiceProvider(cache, 'a');
  const down = { errors: 1, withinMs: 1, forMs: 1 };
  return [
    {
      name: 'ServiceProvider',
      args: [cache, 'a', { strategy: 'sticky', down, filter: () => true }],
      wrong: [
        argument([0]),
        argument([1], ...TEXT),
        argument([2], 'undefined', 'object'),
        argument([2, 'strategy'], 'undefined'),
        argument([2, 'filter'], 'undefined', 'function'),
        argument([2, 'down'], 'undefined', 'object'),
        argument([2, 'down', 'errors'], 'undefined', 'number'),
        argument([2, 'down', 'withinMs'], 'undefined', 'number', '2^31'),
        argument([2, 'down', 'forMs'], 'undefined', 'number', '2^31'),
      ],
      run: (...args: [never, never, never]) => new entry.ServiceProvider(...args),
    },
    {
      name: 'ServiceProvider.failed',
      args: [{ id: 'a', data: Buffer.alloc(0) }],
      wrong: [argument([0], ...TEXT), argument([0, 'id'], ...TEXT)],
      run: (instance: entry.Instance) => provider.failed(instance),
    },
  ];
}

test('the table covers every recipe and every method', () => {
  const functions = Object.entries(entry)
    .filter(([, value]) => typeof value === 'function')
    .map(([name]) => name);
  const known = [...ALL.map(({ recipe }) => recipe.name), ...ERROR_CLASSES, ...FUNCTIONS];
  assert.equal(known.sort(), functions.sort());
  // Not public: they serve the public methods.
  const ofQueues = [
    'takeAtOnce',
    'claimAtOnce',
    'takeInLine',
    'takeAs',
    'claim',
    'drop',
    'list',
    'hasClaimed',
    'listed',
    'creations',
    'next',
    'untilChange',
    'takersPath',
    'placesOf',
    'itemOf',
  ];
  const queues = [
    'Queue',
    'PriorityQueue',
    'DistributedQueue',
    'DistributedPriorityQueue',
    'DelayQueue',
  ];
  const ofLockingQueue = [
    ...[
      'entriesPath',
      'takenPath',
      'takersPath',
      'putEach',
      'makeLayout',
      'takeKnown',
      'takeListed',
    ],
    ...['takeFirst', 'list', 'watch', 'takeInLine', 'untilTaken', 'claim', 'lock'],
  ];
  const hidden = [
    ...ofQueues.flatMap((name) => queues.map((queue) => `${queue}.${name}`)),
    'DoubleBarrier.leave',
    'Partitioner.asMember',
    'Partitioner.lockAll',
    'SharedLock.lineOf',
    'Group.kept',
    'LeaderElection.leadOnce',
    'ReentrantLock.take',
    'ReentrantLock.enter',
    ...ofLockingQueue.map((name) => `LockingQueue.${name}`),
  ];
  for (const { recipe, methods } of ALL) {
    const found = methodsOf(recipe).filter((name) => !hidden.includes(`${recipe.name}.${name}`));
    assert.equal([recipe.name, ...Object.keys(methods).sort()], [recipe.name, ...found.sort()]);
  }
});

test('recipes refuse every wrong kind of argument, and create no znode', async () => {
  const stray: unknown[] = [];
  const onStray = (error: unknown): void => {
    stray.push(error);
  };
  process.on('unhandledRejection', onStray);
  const server = await startBundled();
  const client = createClient({ connectString: server.connectString });
  try {
    await client.connect();
    const before = await client.getAllChildrenNumber('/');
    const cache = await entry.ServiceCache.open(client, '/zookeeper');
    const node = await entry.PersistentNode.open(client, '/node');
    const calls: Call[] = [
      ...ALL.flatMap((recipe) => callsOf(client, recipe)),
      {
        name: 'ServiceCache.open',
        args: [client, '/zookeeper', () => undefined, WAIT],
        wrong: [argument([0]), argument([1]), argument([2], 'undefined', 'function'), ...waitAt(3)],
        run: entry.ServiceCache.open,
      },
      {
        name: 'ServiceCache.instances',
        args: ['a'],
        wrong: [argument([0], ...TEXT, 'lone surrogate')],
        run: (name: string) => cache.instances(name),
      },
      ...providerCalls(cache),
      {
        name: 'PersistentNode.open',
        args: [client, '/zookeeper', { renew: () => undefined, onChange: () => undefined }],
        wrong: [
          argument([0]),
          argument([1]),
          argument([2, 'acl'], 'undefined', 'array'),
          argument([2, 'data'], 'undefined', ...TEXT),
          argument([2, 'renew'], 'undefined', 'function'),
          argument([2, 'onChange'], 'undefined', 'function'),
          argument([2, 'signal'], 'undefined'),
          argument([2, 'timeoutMs'], 'undefined', 'number'),
        ],
        run: entry.PersistentNode.open,
      },
      {
        name: 'PersistentNode.setData',
        args: ['x', WAIT],
        wrong: [argument([0], ...TEXT), ...waitAt(1)],
        run: (...given: [string]) => node.setData(...given),
      },
      {
        name: 'encodeServiceInstance',
        args: [{ name: 'a', id: 'b' }],
        wrong: [
          argument([0]),
          ...['name', 'id'].map((field) => argument([0, field], ...TEXT)),
          argument([0, 'address'], 'undefined', ...TEXT),
          argument([0, 'port'], 'undefined', 'number'),
          argument([0, 'sslPort'], 'undefined', 'number'),
          argument([0, 'enabled'], 'undefined', 'boolean'),
        ],
        run: entry.encodeServiceInstance,
      },
      {
        name: 'decodeServiceInstance',
        args: ['{"name":"a","id":"b"}'],
        wrong: [argument([0], ...TEXT)],
        run: entry.decodeServiceInstance,
      },
    ];
    const faults: string[] = [];
    for (const call of calls) {
      const unknown = await unknownNameFaults(call, ['ServiceProvider.failed 0']);
      faults.push(...(await faultsOf(call)), ...unknown);
    }
    assert.equal(faults, []);
    await node.close();
    assert.is(await client.getAllChildrenNumber('/'), before);
    assert.equal(stray, []);
    await cache.close();
  } finally {
    process.off('unhandledRejection', onStray);
    await client.close();
    await server.close();
  }
});

test.run();
