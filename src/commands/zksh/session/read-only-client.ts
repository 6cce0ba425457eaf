import type { ZooKeeperClient } from '../../../client/base/client.js';
import { CommandError } from '../../program/command-error.js';
import { wrapClient } from './wrap-client.js';

const CHANGING: ReadonlySet<string> = new Set<keyof ZooKeeperClient & string>([
  'create',
  'delete',
  'setData',
  'setACL',
  'multi',
  'reconfig',
]);

/** A read-only shell must not depend on the declarations of commands. */
export function readOnlyClient(client: ZooKeeperClient): ZooKeeperClient {
  return wrapClient(client, (name) =>
    CHANGING.has(name) ? (path: unknown) => Promise.reject(refusal(name, path)) : undefined,
  );
}

function refusal(operation: string, path: unknown): CommandError {
  return new CommandError(`${operation}: not allowed in a read-only shell`, {
    code: 'READONLY',
    ...(typeof path === 'string' ? { path } : {}),
    hint: 'start zksh without --readonly to make changes',
  });
}
