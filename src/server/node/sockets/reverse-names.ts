import { lookup, lookupService, reverse } from 'node:dns/promises';
import { plainIp } from './listen.js';

/** The owner of an address may list any number of names for it. */
const MAX_NAMES = 8;

/**
 * The names that the DNS or the system has for an address. As in Java (InetAddress.getHostName), a
 * name counts only if it has the address, too: anyone may list the names of others for their own
 * addresses.
 */
export async function reverseNames(address: string): Promise<readonly string[]> {
  const [first, others] = await Promise.all([
    lookupService(address, 0).then(
      ({ hostname }) => [hostname],
      () => [],
    ),
    reverse(address).catch(() => []),
  ]);
  const names = new Set([...first, ...others.slice(0, MAX_NAMES)]);
  const asked = [...names].map(async (name) => {
    const found = await lookup(name, { all: true }).catch(() => []);
    return found.some((each) => plainIp(each.address) === address) ? [name] : [];
  });
  return (await Promise.all(asked)).flat();
}
