import * as entry from '../../src/recipes/index.js';
import { argument, type Call, type Kind } from '../support/arguments/wrong-kinds.js';
import {
  ACL,
  constructorArguments,
  data,
  plainConstructor,
  type Recipe,
  type RecipeCalls,
  signal,
  TEXT,
  WAIT,
  waitArguments,
} from './recipe-calls.js';

const secondWait: Call['wrong'] = waitArguments.map(({ at: [, ...keys], takes }) =>
  argument([1, ...keys], ...takes),
);
const OWNERS: readonly Kind[] = [
  ...TEXT,
  'symbol',
  'object',
  'array',
  'function',
  'Date',
  'ArrayBuffer',
  'Uint16Array',
  'proxy',
];
const whole = (index: number) => argument([index], 'number', '-1');
const atomic = {
  options: { acl: ACL, attempts: 2, lockPath: '/lock' },
  made: [
    ...plainConstructor,
    argument([2, 'attempts'], 'undefined', 'number'),
    argument([2, 'lockPath'], 'undefined'),
  ],
};

/** The calls of the recipes with Curator's layouts. */
export const CURATOR_CALLS: readonly RecipeCalls[] = [
  {
    recipe: entry.AtomicLong,
    ...atomic,
    methods: {
      value: [[], []],
      add: [
        [1n, WAIT],
        [argument([0], 'bigint'), ...secondWait],
      ],
      set: [
        [1n, WAIT],
        [argument([0], 'bigint'), ...secondWait],
      ],
      compareAndSet: [
        [1n, 2n],
        [argument([0], 'bigint'), argument([1], 'bigint')],
      ],
    },
  },
  {
    recipe: entry.AtomicValue,
    ...atomic,
    methods: {
      read: [[], []],
      compareAndSet: [
        ['x', 'y'],
        [argument([0], 'undefined', 'string', "''"), data(1)],
      ],
      update: [
        [() => 'x', WAIT],
        [argument([0], 'function'), ...secondWait],
      ],
    },
  },
  {
    recipe: entry.DelayQueue,
    options: { acl: ACL },
    made: plainConstructor,
    methods: {
      put: [
        ['x', 5],
        [data(0), argument([1], 'number', '2^31')],
      ],
      take: [[WAIT], waitArguments],
      size: [[], []],
    },
  },
  {
    recipe: entry.DistributedPriorityQueue,
    options: { acl: ACL },
    made: plainConstructor,
    methods: {
      put: [
        ['x', 5],
        [data(0), whole(1)],
      ],
      take: [[WAIT], waitArguments],
      size: [[], []],
    },
  },
  {
    recipe: entry.DistributedQueue,
    options: { acl: ACL },
    made: plainConstructor,
    methods: {
      put: [
        ['x', { ttlMs: 5 }],
        [
          data(0),
          argument([1], 'undefined', 'object'),
          argument([1, 'ttlMs'], 'undefined', 'number'),
        ],
      ],
      take: [[WAIT], waitArguments],
      size: [[], []],
    },
  },
  {
    recipe: entry.ReentrantLock,
    options: { acl: ACL },
    made: plainConstructor,
    methods: {
      acquire: [
        ['me', WAIT],
        [argument([0], ...OWNERS), ...secondWait],
      ],
      holdCount: [['me'], [argument([0], ...OWNERS)]],
    },
  },
  {
    recipe: entry.SharedCount as Recipe,
    options: { acl: ACL },
    made: [...constructorArguments, argument([2], 'undefined', 'object')],
    methods: {
      read: [[], []],
      changes: [[undefined], [signal(0)]],
      create: [[1], [whole(0)]],
      set: [[1], [whole(0)]],
      compareAndSet: [
        [1, 0],
        [whole(0), whole(1)],
      ],
    },
  },
];
