import { lookup } from 'node:dns/promises';
import {
  formatServerAddress,
  parseConnectString,
  parseServerAddress,
  type ServerAddress,
} from '../../../client/base/connect-string.js';
import { clientAddresses } from '../../znodes/client-addresses.js';
import type { CommandContext } from './command.js';

/** Those of the connect string and the configuration; names of the same address count once. */
export async function ensembleServers(context: CommandContext): Promise<readonly ServerAddress[]> {
  const { session, client } = context;
  const typed = parseConnectString(session.target).servers;
  // The configuration has only plain ports, so a TLS session uses the connect string alone.
  const isSecure = typed[0]?.isSecure === true;
  const named = isSecure ? [] : (await configured(client)).map(parseServerAddress);
  return withoutDoubles([...typed, ...named]);
}

async function withoutDoubles(
  servers: readonly ServerAddress[],
): Promise<readonly ServerAddress[]> {
  const places = await Promise.all(servers.map(placesOf));
  const seen = new Set<string>();
  return servers.filter((_, index) => {
    const own = places[index] ?? [];
    const isNew = !own.some((place) => seen.has(place));
    for (const place of own) seen.add(place);
    return isNew;
  });
}

async function placesOf({ host, port }: ServerAddress): Promise<readonly string[]> {
  // An unknown name fails later, when connecting.
  const found = await lookup(host, { all: true }).catch(() => []);
  const hosts = [host, ...found.map(({ address }) => address)];
  return hosts.map((each) => formatServerAddress({ host: each, port }));
}

async function configured(client: CommandContext['client']): Promise<readonly string[]> {
  try {
    const { data } = await client.getConfig();
    return clientAddresses(data?.toString() ?? '').servers;
  } catch {
    // Without read permission, use only the connect string.
    return [];
  }
}
