import type { ZooKeeperClient } from '../../../client/client.js';
import { CommandError } from '../../program/command-error.js';
import { wrapClient } from './wrap-client.js';

const CHANGING: ReadonlySet<string> = new Set<keyof ZooKeeperClient>([
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
  return wrapClient(client, (name) =>
    CHANGING.has(name) ? (path: unknown) => Promise.reject(refusal(name, path)) : undefined,
  );
}

function refusal(operation: string, path: unknown): CommandError {
  return new CommandError(`${operation} is refused: this shell is read-only`, {
    code: 'READONLY',
    ...(typeof path === 'string' ? { path } : {}),
    hint: 'start zksh without --readonly to change anything',
  });
}
