import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { configFromOptions } from '../../src/server/config/config.js';
import * as entry from '../../src/server/main.js';
import { argument, type Call, faultsOf, type Kind } from '../support/arguments/wrong-kinds.js';
import { makeTempDir } from '../support/machine/temp-dir.js';

// The functions that start a server refuse every wrong kind of argument and start nothing.

const TEXT: readonly Kind[] = ['string', "''"];
const optional = (at: Kind[], ...names: string[]) =>
  names.map((name) => argument([0, name], 'undefined', ...at));
const callbacks = (...names: string[]) => optional(['function'], ...names);
const lines = [
  ...optional(['object'], 'config'),
  argument([0, 'config', 'tickTime'], 'undefined', 'string'),
];

function calls(dir: string): readonly Call[] {
  return [
    {
      name: 'startServer',
      args: [{ config: { tickTime: '1x' } }],
      wrong: [
        argument([0], 'undefined', 'object'),
        ...optional(['null', 'number'], 'port', 'securePort'),
        ...optional([...TEXT], 'host', 'dataDir', 'configFile'),
        ...optional([], 'parsed'),
        ...callbacks('onWarning', 'onReport', 'onFatal'),
        ...lines,
      ],
      run: entry.startServer,
    },
    {
      name: 'startEnsemble',
      args: [{ size: 0, dir, config: { tickTime: '1x' } }],
      wrong: [
        argument([0], 'undefined', 'object'),
        ...optional(['number'], 'size', 'observers', 'basePort'),
        ...optional([...TEXT], 'dir'),
        ...callbacks('configOf', 'isWaitedFor', 'onWarning', 'onReport', 'onFatal'),
        ...lines,
      ],
      run: entry.startEnsemble,
    },
    {
      name: 'layOutEnsemble',
      args: [{ size: 1, observers: 0, dir }],
      wrong: [
        argument([0]),
        argument([0, 'size'], 'number'),
        argument([0, 'observers'], 'number'),
        argument([0, 'dir'], ...TEXT),
        ...optional(['number'], 'basePort'),
      ],
      run: entry.layOutEnsemble,
    },
    {
      name: 'parseConfig',
      args: ['tickTime=1x', { fileName: 'zoo.cfg', properties: { 'zookeeper.tickTime': '1' } }],
      wrong: [
        argument([0], ...TEXT, 'lone surrogate'),
        argument([1]),
        argument([1, 'fileName'], ...TEXT),
        argument([1, 'properties'], 'undefined', 'object'),
        argument([1, 'properties', 'zookeeper.tickTime'], 'undefined', ...TEXT),
      ],
      run: entry.parseConfig,
    },
    {
      name: 'createLogger',
      args: [{ level: 'info' }],
      wrong: [
        argument([0]),
        argument([0, 'level']),
        ...optional(['null', ...TEXT], 'auditFile'),
        ...callbacks('write'),
      ],
      run: entry.createLogger,
    },
  ];
}

function callsWithConfig(dir: string): readonly Call[] {
  const result = configFromOptions({});
  const config = 'config' in result ? result.config : undefined;
  const configArguments = [argument([0]), argument([0, 'tickTimeMs'], 'number', '-1', '2^31')];
  return [
    {
      name: 'logLevelOf',
      args: [config, ''],
      wrong: [...configArguments, argument([1], 'undefined', ...TEXT)],
      run: entry.logLevelOf,
    },
    {
      name: 'readOwnLine',
      args: [config, dir, 'zoo.cfg'],
      wrong: [...configArguments, argument([1], 'null', ...TEXT), argument([2], ...TEXT)],
      run: entry.readOwnLine,
    },
    {
      name: 'replaceStopped',
      args: [{ config, dataDir: dir, from: [dir] }],
      wrong: [
        argument([0]),
        argument([0, 'config']),
        argument([0, 'config', 'tickTimeMs'], 'number', '-1', '2^31'),
        argument([0, 'dataDir'], ...TEXT),
        argument([0, 'from'], 'array'),
        argument([0, 'from', 0], ...TEXT),
      ],
      run: entry.replaceStopped,
    },
  ];
}

/** Errors: the library throws them, and programs catch them. */
const MADE_BY_US = ['ServerError'];

test('the walk knows every function of the entry', () => {
  const functions = Object.entries(entry)
    .filter(([, value]) => typeof value === 'function')
    .map(([name]) => name);
  const known = [...calls(''), ...callsWithConfig('')].map(({ name }) => name);
  assert.equal([...known, ...MADE_BY_US].sort(), functions.sort());
});

test('the functions that start a server refuse every wrong kind of argument', async () => {
  const dir = makeTempDir();
  try {
    const faults: string[] = [];
    for (const call of [...calls(dir.path), ...callsWithConfig(dir.path)]) {
      faults.push(...(await faultsOf(call)));
    }
    assert.equal(faults, []);
  } finally {
    dir.remove();
  }
});

test.run();
