export interface ClientAddresses {
  /** In hex. */
  readonly version: string;
  readonly servers: readonly string[];
}

/** The addresses in `server.1=host:2888:3888;host:2181`. A member with only a TLS port has none. */
export function clientAddresses(config: string): ClientAddresses {
  const version = /^version=(\S+)/m.exec(config)?.[1] ?? '';
  const servers = [...config.matchAll(/^server\.\d+=([^;\n]+);([^;\s]+)/gm)].map((match) =>
    clientAddress(match[1] ?? '', match[2] ?? ''),
  );
  return { version, servers };
}

/** The client part may be only a port, or a wildcard address. */
function clientAddress(server: string, client: string): string {
  const host = /^(\[[^\]]+\]|[^:]+)/.exec(server)?.[1] ?? '';
  if (!client.includes(':')) return `${host}:${client}`;
  return client.replace(/^(0\.0\.0\.0|\[?::\]?)(?=:\d+$)/, () => host);
}
