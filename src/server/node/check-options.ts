/** Checks of what a program passes to startServer, startEnsemble and what they are made of. */
import {
  checkFunction,
  checkOneOf,
  checkString,
  checkText,
  checkWhole,
  readFields,
} from '../../protocol/check-argument.js';
import type { Config } from '../config.js';
import type { EnsembleLayoutOptions } from './lay-out-ensemble.js';
import type { LoggerOptions } from './logger.js';
import type { StartEnsembleOptions } from './start-ensemble.js';
import type { StartServerOptions } from './start-server.js';

type Check = (name: string, value: unknown) => unknown;

const port: Check = (name, value) => checkWhole(name, value, 0, 65535);
const portOrNull: Check = (name, value) => value === null || port(name, value);
const textOrNull: Check = (name, value) => value === null || checkText(name, value);
/** How many there may be is judged by startEnsemble itself. */
const count: Check = (name, value) => checkWhole(name, value, 0);
const LEVELS: readonly LoggerOptions['level'][] = [
  'trace',
  'debug',
  'info',
  'warn',
  'error',
  'fatal',
  'silent',
];

/** Lines of a zoo.cfg by name. */
const lines: Check = (name, value) => {
  const given = value as Readonly<Record<string, string>>;
  const keys = typeof value === 'object' && value !== null ? keysOf(value) : ['tickTime'];
  for (const [key, text] of Object.entries(readFields(name, given, keys))) {
    checkText(`${name}.${key}`, text);
  }
};

/** None, of a proxy that throws: reading it throws once more. */
function keysOf(value: object): string[] {
  try {
    return Object.keys(value);
  } catch {
    return ['tickTime'];
  }
}

/** A configuration that was read already, as far as one can see. */
export function checkConfig(name: string, value: unknown): void {
  const { isReplicated, tickTimeMs } = readFields(name, value as Config, [
    'isReplicated',
    'tickTimeMs',
  ]);
  checkOneOf(`${name}.isReplicated`, isReplicated, [true, false]);
  checkWhole(`${name}.tickTimeMs`, tickTimeMs);
}

function check<T extends object>(given: T, checks: Readonly<Record<keyof T & string, Check>>): T {
  const names = Object.keys(checks) as (keyof T & string)[];
  const options = readFields('options', given, names);
  for (const name of names) {
    if (options[name] !== undefined) checks[name](`options.${name}`, options[name]);
  }
  return options;
}

/** A copy. @throws TypeError or RangeError that names the option */
export function checkStartOptions(given: StartServerOptions): StartServerOptions {
  return check(given, {
    port: portOrNull,
    securePort: portOrNull,
    host: checkText,
    dataDir: checkText,
    config: lines,
    parsed: checkConfig,
    configFile: checkText,
    onWarning: checkFunction,
    onReport: checkFunction,
    onFatal: checkFunction,
  });
}

/** The same. */
export function checkEnsembleOptions(given: StartEnsembleOptions): StartEnsembleOptions {
  return check(given, {
    size: count,
    observers: count,
    dir: checkText,
    basePort: port,
    config: lines,
    configOf: checkFunction,
    isWaitedFor: checkFunction,
    onWarning: checkFunction,
    onReport: checkFunction,
    onFatal: checkFunction,
  });
}

/** The same. */
export function checkLayoutOptions(given: EnsembleLayoutOptions): EnsembleLayoutOptions {
  const options = check(given, { size: count, observers: count, dir: checkText, basePort: port });
  checkWhole('options.size', options.size, 0);
  checkWhole('options.observers', options.observers, 0);
  checkText('options.dir', options.dir);
  return options;
}

/** The same. */
export function checkLoggerOptions(given: LoggerOptions): LoggerOptions {
  const options = check(given, {
    level: (name, value) => checkOneOf(name, value as LoggerOptions['level'], LEVELS),
    auditFile: textOrNull,
    write: checkFunction,
  });
  checkString('options.level', options.level);
  return options;
}
