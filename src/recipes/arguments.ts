/** Checks of what a program passes to a recipe: TypeError and RangeError, as check-argument.ts. */
import { checkACL } from '../client/arguments.js';
import type { ZooKeeperClient } from '../client/client.js';
import {
  checkSignal,
  checkString,
  checkWhole,
  readFields,
  wrongType,
} from '../protocol/check-argument.js';
import { pathFault } from '../protocol/path.js';
import type { WaitOptions } from './limit.js';
import type { ZnodeOptions } from './znodes.js';

/** @throws RangeError for an invalid path */
export function checkPath(path: string): void {
  const fault = pathFault(checkString('path', path));
  if (fault !== undefined)
    throw new RangeError(`"${path}" is not a path: ${fault} (expected /a/b)`);
}

/** @throws RangeError if it cannot be the last part of a path */
export function checkName(name: string, argument = 'name'): void {
  checkString(argument, name);
  const fault = name.includes('/') ? 'it contains a /' : pathFault(`/${name}`);
  if (fault !== undefined || name === '') {
    throw new RangeError(
      `"${name}" cannot name a znode: ${fault ?? 'it is empty'} (expected a name)`,
    );
  }
}

/**
 * The methods that every recipe needs; a client that lacks another one says so when it is called.
 */
const METHODS = ['create', 'getData', 'getChildren', 'delete', 'on'] as const;

/** Accepts a wrapped client, and a client of another copy of this package. */
function checkClient(client: ZooKeeperClient): void {
  const isClient = typeof client === 'object' && client !== null && hasMethods(client);
  if (!isClient) throw wrongType('client', client, 'a client, as createClient() makes it');
}

function hasMethods(client: ZooKeeperClient): boolean {
  try {
    return METHODS.every((name) => typeof client[name] === 'function');
  } catch {
    return false;
  }
}

/** Checks the arguments that all recipes share. @returns a copy of the named options */
export function checkRecipe<T extends ZnodeOptions>(
  client: ZooKeeperClient,
  path: string,
  options: T,
  names: readonly (keyof T & string)[],
): T {
  checkClient(client);
  checkPath(path);
  const fields = readFields('options', options, names);
  return fields.acl === undefined
    ? fields
    : { ...fields, acl: checkACL('options.acl', fields.acl) };
}

export function checkWaitOptions(given: WaitOptions): WaitOptions {
  const options = readFields('options', given, ['signal', 'timeoutMs']);
  checkSignal('options.signal', options.signal);
  // A longer timer of Node would fire at once.
  if (options.timeoutMs !== undefined) checkWhole('options.timeoutMs', options.timeoutMs, 0);
  return options;
}
