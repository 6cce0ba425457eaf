/** The same TLS clients at both servers: which of them does each accept? */
import type { ConnectionOptions } from 'node:tls';
import * as assert from 'uvu/assert';
import { freePort } from '../../support/free-port.js';
import { NETTY_JARS, startOracle } from '../../support/oracle.js';
import { nettyProperties, startSecure, type TlsFiles, talk } from '../../support/tls-world.js';
import { waitFor } from '../../support/wait-for.js';

/** A client, with what must happen before it comes. */
export interface TlsClient extends Pick<ConnectionOptions, 'cert' | 'key'> {
  readonly minVersion?: 'TLSv1.3';
  readonly maxVersion?: 'TLSv1.2';
  prepare?(): void;
}

export interface TlsServers {
  readonly files: TlsFiles;
  /** Keys of zoo.cfg for both servers; Apache's takes them as system properties. */
  readonly config: Readonly<Record<string, string>>;
  /** For Apache's server alone. */
  readonly properties?: Readonly<Record<string, string>>;
}

type Verdicts = Readonly<Record<string, 'imok' | ''>>;

async function startTls(isApache: boolean, { files, config, properties }: TlsServers) {
  if (!isApache) {
    const server = await startSecure(files, config);
    return { port: server.securePort, close: () => server.close() };
  }
  const port = await freePort();
  const asked = Object.entries(config).map(([key, value]) => [`zookeeper.${key}`, value]);
  const server = await startOracle({
    jars: NETTY_JARS,
    config: { secureClientPort: port, secureClientPortAddress: '127.0.0.1' },
    properties: { ...nettyProperties(files), ...Object.fromEntries(asked), ...properties },
  });
  // It opens this port after the plain one, which startOracle waits for.
  const isOpen = async () => (await talk(port, {})).fault !== 'ECONNREFUSED';
  await waitFor("Apache's secure port", isOpen);
  return { port, close: () => server.close() };
}

/** "imok" from a server that accepts the client, otherwise "". */
async function verdictsOf(
  isApache: boolean,
  servers: TlsServers,
  clients: Readonly<Record<string, TlsClient>>,
): Promise<Record<string, string>> {
  const server = await startTls(isApache, servers);
  const verdicts: Record<string, string> = {};
  try {
    for (const [name, { prepare, ...own }] of Object.entries(clients)) {
      prepare?.();
      const { cert: ca } = servers.files.authority;
      verdicts[name] = (await talk(server.port, { ca, ...own })).text;
    }
    return verdicts;
  } finally {
    await server.close();
  }
}

/** @param here what the bundled server says if that differs on purpose */
export async function assertVerdicts(
  servers: TlsServers,
  clients: Readonly<Record<string, TlsClient>>,
  expected: Verdicts,
  here: Verdicts = expected,
): Promise<void> {
  const asked = JSON.stringify(servers.config);
  assert.equal(await verdictsOf(true, servers, clients), expected, `Apache's server: ${asked}`);
  assert.equal(await verdictsOf(false, servers, clients), here, `this server: ${asked}`);
}
