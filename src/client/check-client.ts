import { wrongType } from '../protocol/check-argument.js';
import type { ZooKeeperClient } from './base/client.js';

/** Enough to recognize a client. A client without another method throws when it is called. */
const METHODS = ['create', 'getData', 'getChildren', 'delete', 'on'] as const;

/** Also accepts a wrapped client and a client of another copy of this package. */
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
