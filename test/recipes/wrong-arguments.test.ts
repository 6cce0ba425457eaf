import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ZooKeeperClient } from '../../src/client/base/client.js';
import { createClient } from '../../src/client/zookeeper.js';
import * as entry from '../../src/recipes/index.js';
import { argument, type Call, faultsOf, type Kind } from '../support/arguments/wrong-kinds.js';
import { startBundled } from '../support/bundled.js';

// Passes every wrong kind of value as every argument of every recipe. Each is refused with a
// sentence, and no znode is created.

const TEXT: readonly Kind[] = ['string', "''"];
const ACL = [{ perms: 31, id: { scheme: 'world', id: 'anyone' } }];

const constructorArguments = [
  argument([0]),
  argument([1]),
  argument([2, 'acl'], 'undefined', 'array'),
  argument([2, 'acl', 0, 'perms'], 'number', '-1'),
  argument([2, 'acl', 0, 'id', 'scheme'], ...TEXT),
];
const plainConstructor = [...constructorArguments, argument([2], 'undefined', 'object')];
const signal = (index: number) => argument([index], 'undefined');
const data = (index: number) => argument([index], ...TEXT);
const waitArguments = [
  argument([0], 'undefined', 'object'),
  argument([0, 'signal'], 'undefined'),
  argument([0, 'timeoutMs'], 'undefined', 'number'),
];
const WAIT = { timeoutMs: 5 };

type Recipe = new (client: ZooKeeperClient, path: string, options: never) => object;

/** The constructor of a recipe, and the methods of an instance. */
interface RecipeCalls {
  readonly recipe: Recipe;
  readonly options: object;
  readonly made: Call['wrong'];
  readonly methods: Readonly<Record<string, readonly [args: unknown[], wrong: Call['wrong']]>>;
}

const RECIPES: readonly RecipeCalls[] = [
  {
    recipe: entry.Barrier,
    options: { acl: ACL },
    made: plainConstructor,
    methods: { raise: [[], []], remove: [[], []], wait: [[WAIT], waitArguments] },
  },
  {
    recipe: entry.Configuration,
    options: { acl: ACL },
    made: plainConstructor,
    methods: {
      read: [[], []],
      changes: [[undefined], [signal(0)]],
      create: [['x'], [data(0)]],
      compareAndSet: [
        ['x', 0],
        [data(0), argument([1], 'number', '-1')],
      ],
    },
  },
  {
    recipe: entry.Counter,
    options: { acl: ACL },
    made: plainConstructor,
    methods: { value: [[], []], add: [[1n], [argument([0], 'bigint'), signal(1)]] },
  },
  {
    recipe: entry.DoubleBarrier,
    options: { count: 2, acl: ACL },
    made: [...constructorArguments, argument([2]), argument([2, 'count'], 'number')],
    methods: { enter: [[WAIT], waitArguments] },
  },
  {
    recipe: entry.Group,
    options: { acl: ACL },
    made: plainConstructor,
    methods: {
      join: [
        ['a', 'x'],
        [argument([0], 'string'), data(1), signal(2)],
      ],
      ids: [[], []],
      members: [[], []],
      changes: [[undefined], [signal(0)]],
    },
  },
  {
    recipe: entry.LeaderElection,
    options: { id: 'a', acl: ACL },
    made: [...constructorArguments, argument([2]), argument([2, 'id'], ...TEXT)],
    methods: {
      lead: [
        [{ onElected: () => undefined }],
        [
          argument([0]),
          argument([0, 'onElected'], 'function'),
          argument([0, 'signal'], 'undefined'),
        ],
      ],
      leader: [[], []],
      acknowledged: [[], []],
      changes: [[undefined], [signal(0)]],
    },
  },
  {
    recipe: entry.Lock,
    options: { acl: ACL },
    made: plainConstructor,
    methods: { acquire: [[WAIT], waitArguments] },
  },
  {
    recipe: entry.NameService,
    options: { acl: ACL },
    made: plainConstructor,
    methods: {
      bind: [
        ['a', 'x'],
        [argument([0], 'string'), data(1)],
      ],
      resolve: [['a'], [argument([0], 'string')]],
      unbind: [['a'], [argument([0], 'string')]],
      names: [[], []],
    },
  },
  {
    recipe: entry.PriorityQueue,
    options: { acl: ACL },
    made: plainConstructor,
    methods: {
      put: [
        ['x', 1],
        [data(0), argument([1], 'number')],
      ],
      take: [[WAIT], waitArguments],
      peek: [[], []],
      items: [[], []],
    },
  },
  {
    recipe: entry.Queue,
    options: { acl: ACL },
    made: plainConstructor,
    methods: {
      put: [['x'], [data(0)]],
      take: [[WAIT], waitArguments],
      peek: [[], []],
      items: [[], []],
    },
  },
  {
    recipe: entry.Semaphore,
    options: { permits: 1, acl: ACL },
    made: [...constructorArguments, argument([2]), argument([2, 'permits'], 'number')],
    methods: { acquire: [[WAIT], waitArguments] },
  },
  {
    recipe: entry.ServiceDirectory,
    options: { acl: ACL },
    made: plainConstructor,
    methods: {
      announce: [
        ['a', 'b', 'x'],
        [argument([0], 'string'), argument([1], 'string'), data(2), signal(3)],
      ],
    },
  },
  {
    recipe: entry.SharedLock,
    options: { acl: ACL },
    made: plainConstructor,
    methods: {
      acquire: [
        ['read', WAIT],
        [
          argument([0]),
          ...waitArguments.map(({ at: [, ...keys], takes }) => argument([1, ...keys], ...takes)),
        ],
      ],
      revoke: [['read'], [argument([0])]],
    },
  },
  {
    recipe: entry.TwoPhaseCommit,
    options: { acl: ACL },
    made: plainConstructor,
    methods: {
      begin: [
        [['a'], 'sites'],
        [argument([0]), argument([0, 0], 'string'), argument([1], 'undefined')],
      ],
      decide: [[WAIT], waitArguments],
      abort: [[], []],
      finish: [[WAIT], waitArguments],
      remove: [[], []],
      vote: [
        ['a', 'commit'],
        [argument([0], 'string'), argument([1]), signal(2)],
      ],
      decision: [[WAIT], waitArguments],
      acknowledge: [['a'], [argument([0], 'string')]],
      state: [[], []],
    },
  },
];

/** The first value of a generator, or the promise itself. */
function begun(outcome: unknown): unknown {
  const isGenerator = typeof outcome === 'object' && outcome !== null && 'next' in outcome;
  return isGenerator ? (outcome as AsyncGenerator).next() : outcome;
}

function callsOf(client: ZooKeeperClient, { recipe, options, made, methods }: RecipeCalls): Call[] {
  const path = '/made-of-nothing';
  const instance = new recipe(client, path, options as never) as Record<string, unknown>;
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

/** Public methods of a recipe, with those of its base class. */
function methodsOf(recipe: Recipe): readonly string[] {
  const internal =
    /^(constructor|waitOf|putAs|remove[A-Z]|entry|numberOf|firstOf|untilItem|collect|votes|write|found|siteNode|isReady|present|dropStaleReady|leaveWith|acknowledgement)$/;
  const names: string[] = [];
  for (let type = recipe.prototype; type !== Object.prototype; type = Object.getPrototypeOf(type)) {
    names.push(...Object.getOwnPropertyNames(type).filter((name) => !internal.test(name)));
  }
  return names;
}

test('the table covers every recipe and every method', () => {
  const functions = Object.entries(entry)
    .filter(([, value]) => typeof value === 'function')
    .map(([name]) => name);
  const known = [...RECIPES.map(({ recipe }) => recipe.name), ...ERROR_CLASSES, 'ServiceCache'];
  assert.equal(known.sort(), functions.sort());
  // Not public: they serve the public methods.
  const hidden = ['Queue.remove', 'PriorityQueue.remove', 'DoubleBarrier.leave'];
  for (const { recipe, methods } of RECIPES) {
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
    const calls: Call[] = [
      ...RECIPES.flatMap((recipe) => callsOf(client, recipe)),
      {
        name: 'ServiceCache.open',
        args: [client, '/zookeeper', () => undefined],
        wrong: [argument([0]), argument([1]), argument([2], 'undefined', 'function')],
        run: entry.ServiceCache.open,
      },
      {
        name: 'ServiceCache.instances',
        args: ['a'],
        wrong: [argument([0], ...TEXT, 'lone surrogate')],
        run: (name: string) => cache.instances(name),
      },
    ];
    const faults: string[] = [];
    for (const call of calls) faults.push(...(await faultsOf(call)));
    assert.equal(faults, []);
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
