import { lookup } from 'node:dns/promises';
import {
  formatServerAddress,
  parseConnectString,
  parseServerAddress,
  type ServerAddress,
} from '../../../../client/connect-string.js';
import { clientAddresses } from '../../../znodes/client-addresses.js';
import type { CommandContext } from '../../engine/command.js';

/**
 * Every server of the ensemble that can be known: those of the connect string, and those that the
 * configuration names, without their being typed. Names of one address are one server.
 */
export async function ensembleServers(context: CommandContext): Promise<readonly ServerAddress[]> {
  const { session, client } = context;
  const typed = parseConnectString(session.target).servers;
  // The configuration names plain ports; a session over TLS keeps to what was typed.
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

/** Where a server is: its name, and all addresses that the name has. */
async function placesOf({ host, port }: ServerAddress): Promise<readonly string[]> {
  // Whoever connects hears of a name that is not known.
  const found = await lookup(host, { all: true }).catch(() => []);
  const hosts = [host, ...found.map(({ address }) => address)];
  return hosts.map((each) => formatServerAddress({ host: each, port }));
}

async function configured(client: CommandContext['client']): Promise<readonly string[]> {
  try {
    const { data } = await client.getConfig();
    return clientAddresses(data?.toString() ?? '').servers;
  } catch {
    // Whoever may not read it knows only what was typed.
    return [];
  }
}
