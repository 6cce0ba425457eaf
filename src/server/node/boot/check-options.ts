import {
  type Check,
  checkFields,
  checkFunction,
  checkText,
  checkTexts,
  checkWhole,
} from '../../../protocol/check-argument.js';
import { checkConfig } from '../../config/check-config.js';
import type { EnsembleLayoutOptions } from './lay-out-ensemble.js';
import type { StartEnsembleOptions } from './start-ensemble.js';
import type { StartServerOptions } from './start-server.js';

const port: Check = (name, value) => checkWhole(name, value, 0, 65535);
const portOrNull: Check = (name, value) => value === null || port(name, value);
/** startEnsemble itself checks the range. */
const count: Check = (name, value) => checkWhole(name, value, 0);
const lines: Check = (name, value) => checkTexts(name, value, 'tickTime');

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
