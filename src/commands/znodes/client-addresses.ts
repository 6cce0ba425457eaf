export interface ClientAddresses {
  /** Of the configuration, in hex. */
  readonly version: string;
  readonly servers: readonly string[];
}

/**
 * Converts "version=100000000" and "server.1=host:2888:3888:participant;host:2181" to client
 * addresses. A member with a TLS port alone (";;host:2281") has none.
 */
export function clientAddresses(config: string): ClientAddresses {
  const version = /^version=(\S+)/m.exec(config)?.[1] ?? '';
  const servers = [...config.matchAll(/^server\.\d+=([^;\n]+);([^;\s]+)/gm)].map((match) =>
    clientAddress(match[1] ?? '', match[2] ?? ''),
  );
  return { version, servers };
}

/** The client part may be only a port, or an address that means every interface. */
function clientAddress(server: string, client: string): string {
  const host = /^(\[[^\]]+\]|[^:]+)/.exec(server)?.[1] ?? '';
  if (!client.includes(':')) return `${host}:${client}`;
  return client.replace(/^(0\.0\.0\.0|\[?::\]?)(?=:\d+$)/, host);
}
