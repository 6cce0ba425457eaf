import { wrongType } from '../protocol/check-argument.js';
import type { ZooKeeperClient } from './base/client.js';

/**
 * The methods that everything above a client needs; a client that lacks another one says so when
 * it is called.
 */
const METHODS = ['create', 'getData', 'getChildren', 'delete', 'on'] as const;

/** Accepts a wrapped client, and a client of another copy of this package. */
export function checkClient(client: ZooKeeperClient): void {
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
