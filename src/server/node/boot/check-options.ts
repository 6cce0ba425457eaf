import {
  type Check,
  checkFields,
  checkFunction,
  checkText,
  checkWhole,
  readFields,
} from '../../../protocol/check-argument.js';
import { checkConfig } from '../../config/check-config.js';
import type { EnsembleLayoutOptions } from './lay-out-ensemble.js';
import type { StartEnsembleOptions } from './start-ensemble.js';
import type { StartServerOptions } from './start-server.js';

const port: Check = (name, value) => checkWhole(name, value, 0, 65535);
const portOrNull: Check = (name, value) => value === null || port(name, value);
/** startEnsemble itself checks the range. */
const count: Check = (name, value) => checkWhole(name, value, 0);
const lines: Check = (name, value) => {
  const given = value as Readonly<Record<string, string>>;
  const keys = typeof value === 'object' && value !== null ? keysOf(value) : ['tickTime'];
  for (const [key, text] of Object.entries(readFields(name, given, keys))) {
    checkText(`${name}.${key}`, text);
  }
};

/** Empty for a proxy that throws: the next read throws again. */
function keysOf(value: object): string[] {
  try {
    return Object.keys(value);
  } catch {
    return ['tickTime'];
  }
}

/** Returns a copy. @throws TypeError or RangeError that names the option */
export function checkStartOptions(given: StartServerOptions): StartServerOptions {
  return checkFields('options', given, {
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

export function checkEnsembleOptions(given: StartEnsembleOptions): StartEnsembleOptions {
  return checkFields('options', given, {
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

export function checkLayoutOptions(given: EnsembleLayoutOptions): EnsembleLayoutOptions {
  const options = checkFields('options', given, {
    size: count,
    observers: count,
    dir: checkText,
    basePort: port,
  });
  checkWhole('options.size', options.size, 0);
  checkWhole('options.observers', options.observers, 0);
  checkText('options.dir', options.dir);
  return options;
}
