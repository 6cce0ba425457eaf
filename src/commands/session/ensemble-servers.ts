import {
  formatServerAddress,
  parseConnectString,
  parseServerAddress,
  type ServerAddress,
} from '../../client/connect-string.js';
import type { CommandContext } from '../command.js';
import { clientAddresses } from './client-addresses.js';

/**
 * Every server of the ensemble that can be known: those of the connect string, and those that the
 * configuration names, without their being typed.
 */
export async function ensembleServers(context: CommandContext): Promise<readonly ServerAddress[]> {
  const { session, client } = context;
  const typed = parseConnectString(session.target).servers;
  const servers = new Map(typed.map((address) => [formatServerAddress(address), address]));
  for (const text of await configured(client)) {
    const address = parseServerAddress(text);
    const isSecure = typed[0]?.isSecure === true;
    // The configuration names plain ports; a session over TLS keeps to what was typed.
    if (!isSecure) servers.set(formatServerAddress(address), address);
  }
  return [...servers.values()];
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
