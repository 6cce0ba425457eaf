import * as entry from '../../src/recipes/index.js';
import { argument, type Kind } from '../support/arguments/wrong-kinds.js';
import {
  ACL,
  constructorArguments,
  data,
  loopArguments,
  plainConstructor,
  type Recipe,
  type RecipeCalls,
  TEXT,
  WAIT,
  waitArguments,
  waitAt,
} from './recipe-calls.js';

const secondWait = waitAt(1);
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

/** The calls of the recipes with the layouts of Curator and kazoo. */
export const CURATOR_CALLS: readonly RecipeCalls[] = [
  {
    recipe: entry.AtomicLong,
    ...atomic,
    methods: {
      value: [[WAIT], waitArguments],
      add: [
        [1n, WAIT],
        [argument([0], 'bigint'), ...secondWait],
      ],
      set: [
        [1n, WAIT],
        [argument([0], 'bigint'), ...secondWait],
      ],
      compareAndSet: [
        [1n, 2n, WAIT],
        [argument([0], 'bigint'), argument([1], 'bigint'), ...waitAt(2)],
      ],
    },
  },
  {
    recipe: entry.AtomicValue,
    ...atomic,
    methods: {
      read: [[WAIT], waitArguments],
      compareAndSet: [
        ['x', 'y', WAIT],
        [argument([0], 'undefined', 'string', "''"), data(1), ...waitAt(2)],
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
        ['x', 5, WAIT],
        [data(0), argument([1], 'number', '2^31'), ...waitAt(2)],
      ],
      take: [[WAIT], waitArguments],
      size: [[WAIT], waitArguments],
    },
  },
  {
    recipe: entry.DistributedPriorityQueue,
    options: { acl: ACL },
    made: plainConstructor,
    methods: {
      put: [
        ['x', 5, WAIT],
        [data(0), whole(1), ...waitAt(2)],
      ],
      take: [[WAIT], waitArguments],
      size: [[WAIT], waitArguments],
    },
  },
  {
    recipe: entry.DistributedQueue,
    options: { acl: ACL },
    made: plainConstructor,
    methods: {
      put: [
        ['x', { ttlMs: 5, ...WAIT }],
        [data(0), ...secondWait, argument([1, 'ttlMs'], 'undefined', 'number')],
      ],
      take: [[WAIT], waitArguments],
      size: [[WAIT], waitArguments],
    },
  },
  {
    recipe: entry.LockingQueue,
    options: { acl: ACL },
    made: plainConstructor,
    methods: {
      put: [
        ['x', 5, WAIT],
        [data(0), argument([1], 'undefined', 'number'), ...waitAt(2)],
      ],
      putAll: [
        [['x'], 5, WAIT],
        [
          argument([0], 'array'),
          argument([0, 0], ...TEXT),
          argument([1], 'undefined', 'number'),
          ...waitAt(2),
        ],
      ],
      take: [[WAIT], waitArguments],
      size: [[WAIT], waitArguments],
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
      read: [[WAIT], waitArguments],
      changes: [[{}], loopArguments],
      create: [
        [1, WAIT],
        [whole(0), ...secondWait],
      ],
      set: [
        [1, WAIT],
        [whole(0), ...secondWait],
      ],
      compareAndSet: [
        [1, 0, WAIT],
        [whole(0), argument([1], 'number'), ...waitAt(2)],
      ],
    },
  },
];
