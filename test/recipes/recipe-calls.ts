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
export const data = (index: number) => argument([index], ...TEXT);
export const waitArguments = [
  argument([0], 'undefined', 'object'),
  argument([0, 'signal'], 'undefined'),
  argument([0, 'timeoutMs'], 'undefined', 'number'),
];
export const WAIT = { timeoutMs: 5 };
/** The options of a call after its other arguments. */
export const waitAt = (index: number): Call['wrong'] =>
  waitArguments.map(({ at: [, ...keys], takes }) => argument([index, ...keys], ...takes));
export const loopArguments = waitArguments.slice(0, 2);

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
    methods: {
      raise: [[WAIT], waitArguments],
      remove: [[WAIT], waitArguments],
      wait: [[WAIT], waitArguments],
    },
  },
  {
    recipe: entry.Configuration,
    options: { acl: ACL },
    made: plainConstructor,
    methods: {
      read: [[WAIT], waitArguments],
      changes: [[{}], loopArguments],
      create: [
        ['x', WAIT],
        [data(0), ...waitAt(1)],
      ],
      compareAndSet: [
        ['x', 0, WAIT],
        [data(0), argument([1], 'number'), ...waitAt(2)],
      ],
    },
  },
  {
    recipe: entry.Counter,
    options: { acl: ACL },
    made: plainConstructor,
    methods: {
      value: [[WAIT], waitArguments],
      add: [
        [1n, WAIT],
        [argument([0], 'bigint'), ...waitAt(1)],
      ],
    },
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
        ['a', 'x', WAIT],
        [argument([0], 'string'), data(1), ...waitAt(2)],
      ],
      ids: [[WAIT], waitArguments],
      members: [[WAIT], waitArguments],
      changes: [[{}], loopArguments],
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
          argument([0, 'timeoutMs'], 'undefined', 'number'),
        ],
      ],
      leader: [[WAIT], waitArguments],
      candidates: [[WAIT], waitArguments],
      acknowledged: [[WAIT], waitArguments],
      changes: [[{}], loopArguments],
    },
  },
  {
    recipe: entry.Lock,
    options: { acl: ACL },
    made: plainConstructor,
    methods: {
      acquire: [[WAIT], waitArguments],
      tryAcquire: [[WAIT], waitArguments],
      do: [
        [() => undefined, WAIT],
        [argument([0], 'function'), ...waitAt(1)],
      ],
      owner: [[WAIT], waitArguments],
      owners: [[{}], loopArguments],
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
        ['a', 'x', WAIT],
        [argument([0], 'string'), data(1), ...waitAt(2)],
      ],
      resolve: [
        ['a', WAIT],
        [argument([0], 'string'), ...waitAt(1)],
      ],
      unbind: [
        ['a', WAIT],
        [argument([0], 'string'), ...waitAt(1)],
      ],
      names: [[WAIT], waitArguments],
    },
  },
  {
    recipe: entry.Partitioner,
    options: { id: 'a', names: ['x'], settleMs: 1, acl: ACL },
    made: [
      ...constructorArguments,
      argument([2]),
      argument([2, 'id'], 'string'),
      argument([2, 'names'], 'array'),
      argument([2, 'names', 0], 'string'),
      argument([2, 'settleMs'], 'undefined', 'number'),
    ],
    methods: { allocations: [[{}], loopArguments] },
  },
  {
    recipe: entry.PriorityQueue,
    options: { acl: ACL },
    made: plainConstructor,
    methods: {
      put: [
        ['x', 1, WAIT],
        [data(0), argument([1], 'number'), ...waitAt(2)],
      ],
      take: [[WAIT], waitArguments],
      peek: [[WAIT], waitArguments],
      items: [[WAIT], waitArguments],
    },
  },
  {
    recipe: entry.Queue,
    options: { acl: ACL },
    made: plainConstructor,
    methods: {
      put: [
        ['x', WAIT],
        [data(0), ...waitAt(1)],
      ],
      take: [[WAIT], waitArguments],
      peek: [[WAIT], waitArguments],
      items: [[WAIT], waitArguments],
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
    methods: {
      acquire: [[WAIT], waitArguments],
      tryAcquire: [[WAIT], waitArguments],
      do: [
        [() => undefined, WAIT],
        [argument([0], 'function'), ...waitAt(1)],
      ],
    },
  },
  {
    recipe: entry.ServiceDirectory,
    options: { acl: ACL },
    made: plainConstructor,
    methods: {
      announce: [
        ['a', 'b', 'x', WAIT],
        [argument([0], 'string'), argument([1], 'string'), data(2), ...waitAt(3)],
      ],
      register: [
        [{ name: 'a', id: 'b' }, WAIT],
        [
          argument([0]),
          argument([0, 'id'], 'string'),
          argument([0, 'name'], 'string'),
          ...waitAt(1),
        ],
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
        [argument([0]), argument([1, 'onRevoked'], 'undefined', 'function'), ...waitAt(1)],
      ],
      tryAcquire: [
        ['read', WAIT],
        [argument([0]), ...waitAt(1)],
      ],
      do: [
        ['read', () => undefined, WAIT],
        [argument([0]), argument([1], 'function'), ...waitAt(2)],
      ],
      revoke: [
        ['read', { forceAfterMs: 5, ...WAIT }],
        [argument([0]), ...waitAt(1), argument([1, 'forceAfterMs'], 'undefined', 'number')],
      ],
    },
  },
  {
    recipe: entry.TwoPhaseCommit,
    options: { acl: ACL },
    made: plainConstructor,
    methods: {
      begin: [
        [['a'], 'sites', 'payload', WAIT],
        [
          argument([0]),
          argument([0, 0], 'string'),
          argument([1], 'undefined'),
          argument([2], 'undefined', ...TEXT),
          ...waitAt(3),
        ],
      ],
      decide: [[WAIT], waitArguments],
      abort: [[WAIT], waitArguments],
      finish: [[WAIT], waitArguments],
      remove: [[WAIT], waitArguments],
      vote: [
        ['a', 'commit', WAIT],
        [argument([0], 'string'), argument([1]), ...waitAt(2)],
      ],
      decision: [[WAIT], waitArguments],
      acknowledge: [
        ['a', WAIT],
        [argument([0], 'string'), ...waitAt(1)],
      ],
      state: [[WAIT], waitArguments],
    },
  },
];
