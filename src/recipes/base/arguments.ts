/** Checks of what a program passes to a recipe, with the errors of check-argument.ts. */

import type { ZooKeeperClient } from '../../client/base/client.js';
import { checkACL } from '../../client/calls/arguments.js';
import { checkClient } from '../../client/check-client.js';
import {
  checkSignal,
  checkString,
  checkWhole,
  rangeError,
  readFields,
} from '../../protocol/check-argument.js';
import { pathFault } from '../../protocol/path.js';
import type { LoopOptions, WaitOptions } from './limit.js';
import type { ZnodeOptions } from './znodes.js';

/** @throws RangeError for an invalid path */
export function checkPath(path: string): void {
  const fault = pathFault(checkString('path', path));
  if (fault !== undefined)
    throw rangeError(`path: invalid path: "${path}": ${fault} (expected a path such as /a/b)`);
}

/** @throws RangeError if it cannot be the last part of a path */
export function checkName(name: string, argument = 'name'): void {
  checkString(argument, name);
  const fault = name.includes('/') ? 'it contains a /' : pathFault(`/${name}`);
  if (fault !== undefined || name === '') {
    throw rangeError(
      `${argument}: invalid name: "${name}": ${fault ?? 'it is empty'} (expected the name of a znode)`,
    );
  }
}

/** Checks the arguments that all recipes share. @returns a copy of the named options */
export function checkRecipe<T extends ZnodeOptions>(
  client: ZooKeeperClient,
  path: string,
  options: T,
  names: readonly (keyof T & string)[],
  others: readonly string[] = [],
): T {
  checkClient(client);
  checkPath(path);
  const fields = readFields('options', options, names, others);
  return fields.acl === undefined
    ? fields
    : { ...fields, acl: checkACL('options.acl', fields.acl) };
}

/** @param others fields that another check reads */
export function checkWaitOptions(given: WaitOptions, others: readonly string[] = []): WaitOptions {
  const options = readFields('options', given, ['signal', 'timeoutMs'], others);
  checkSignal('options.signal', options.signal);
  // Node.js fires a longer timer at once.
  if (options.timeoutMs !== undefined) checkWhole('options.timeoutMs', options.timeoutMs, 0);
  return options;
}

/** The fields of WaitOptions, which checkWaitOptions reads. */
export const WAIT_NAMES: readonly string[] = ['signal', 'timeoutMs'];

export function checkLoopOptions(given: LoopOptions): LoopOptions {
  const options = readFields('options', given, ['signal']);
  checkSignal('options.signal', options.signal);
  return options;
}
