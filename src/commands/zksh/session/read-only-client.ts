import type { ZooKeeperClient } from '../../../client/client.js';
import { CommandError } from '../../program/command-error.js';

const CHANGING: ReadonlySet<string | symbol> = new Set<keyof ZooKeeperClient>([
  'create',
  'delete',
  'setData',
  'setACL',
  'multi',
  'reconfig',
]);

/**
 * The same client, whose every call that would change something rejects before it is sent: what a
 * read-only shell promises does not hang on each command's declaration.
 */
export function readOnlyClient(client: ZooKeeperClient): ZooKeeperClient {
  return new Proxy(client, {
    get(target, name) {
      if (CHANGING.has(name)) return (path: unknown) => Promise.reject(refusal(String(name), path));
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function refusal(operation: string, path: unknown): CommandError {
  return new CommandError(`${operation} is refused: this shell is read-only`, {
    code: 'READONLY',
    ...(typeof path === 'string' ? { path } : {}),
    hint: 'start zksh without --readonly to change anything',
  });
}
