import type { ZooKeeperClient } from '../../src/client/base/client.js';
import * as entry from '../../src/recipes/index.js';
import { argument, type Call, type Kind } from '../support/arguments/wrong-kinds.js';

export const TEXT: readonly Kind[] = ['string', "''"];
export const ACL = [{ perms: 31, id: { scheme: 'world', id: 'anyone' } }];

export const constructorArguments = [
  argument([0]),
  argument([1]),
  argument([2, 'acl'], 'undefined', 'array'),
  argument([2, 'acl', 0, 'perms'], 'number', '-1'),
  argument([2, 'acl', 0, 'id', 'scheme'], ...TEXT),
];
export const plainConstructor = [...constructorArguments, argument([2], 'undefined', 'object')];
export const signal = (index: number) => argument([index], 'undefined');
export const data = (index: number) => argument([index], ...TEXT);
export const waitArguments = [
  argument([0], 'undefined', 'object'),
  argument([0, 'signal'], 'undefined'),
  argument([0, 'timeoutMs'], 'undefined', 'number'),
];
export const WAIT = { timeoutMs: 5 };

export type Recipe = new (client: ZooKeeperClient, path: string, options: never) => object;

/** The constructor of a recipe, and the methods of an instance. */
export interface RecipeCalls {
  readonly recipe: Recipe;
  /** Default: '/made-of-nothing'. */
  readonly place?: unknown;
  readonly options: object;
  readonly made: Call['wrong'];
  readonly methods: Readonly<Record<string, readonly [args: unknown[], wrong: Call['wrong']]>>;
}

export const RECIPES: readonly RecipeCalls[] = [
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
      candidates: [[], []],
      acknowledged: [[], []],
      changes: [[undefined], [signal(0)]],
    },
  },
  {
    recipe: entry.Lock,
    options: { acl: ACL },
    made: plainConstructor,
    methods: {
      acquire: [[WAIT], waitArguments],
      owner: [[], []],
      owners: [[undefined], [signal(0)]],
    },
  },
  {
    recipe: entry.MultiLock as unknown as Recipe,
    place: ['/made-of-nothing'],
    options: { acl: ACL },
    made: [
      argument([0]),
      argument([1], 'array'),
      argument([1, 0], 'string'),
      ...plainConstructor.slice(2),
    ],
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
    made: [
      ...constructorArguments,
      argument([2]),
      argument([2, 'permits'], 'number'),
      argument([2, 'permitsPath'], 'undefined'),
    ],
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
      register: [
        [{ name: 'a', id: 'b' }],
        [argument([0]), argument([0, 'id'], 'string'), argument([0, 'name'], 'string'), signal(1)],
      ],
    },
  },
  {
    recipe: entry.SharedLock,
    options: { acl: ACL },
    made: plainConstructor,
    methods: {
      acquire: [
        ['read', { ...WAIT, onRevoked: () => undefined }],
        [
          argument([0]),
          argument([1, 'onRevoked'], 'undefined', 'function'),
          ...waitArguments.map(({ at: [, ...keys], takes }) => argument([1, ...keys], ...takes)),
        ],
      ],
      revoke: [
        ['read', { forceAfterMs: 5 }],
        [
          argument([0]),
          argument([1], 'undefined', 'object'),
          argument([1, 'forceAfterMs'], 'undefined', 'number'),
        ],
      ],
    },
  },
  {
    recipe: entry.TwoPhaseCommit,
    options: { acl: ACL },
    made: plainConstructor,
    methods: {
      begin: [
        [['a'], 'sites', 'payload'],
        [
          argument([0]),
          argument([0, 0], 'string'),
          argument([1], 'undefined'),
          argument([2], 'undefined', ...TEXT),
        ],
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
