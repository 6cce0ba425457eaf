import { ZooKeeper } from '../../../../src/client/zookeeper.js';
import type { RunningServer, StartServerOptions } from '../../../../src/server/main.js';
import { startBundled } from '../../../support/bundled.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';

/** An AdminServer on a free port of the loopback interface. */
export const ADMIN = {
  'admin.enableServer': 'true',
  'admin.serverAddress': '127.0.0.1',
  'admin.serverPort': '0',
};

/** Everyone has every permission on the root by default. */
export const OPEN = { 'admin.anyoneMayTransfer': 'true' };
export const AS_ROOT = { headers: { Authorization: 'digest root:secret' } };

export interface World {
  readonly server: RunningServer;
  readonly client: ZooKeeper;
  readonly dataDir: string;
  ask(command: string, init?: RequestInit): Promise<{ status: number; json: Answer }>;
  url(command: string): string;
}

export type Answer = Readonly<Record<string, unknown>>;

/** A server with an AdminServer, and a client of it. */
export async function withAdmin(
  run: (world: World) => Promise<void>,
  config: StartServerOptions['config'] = {},
): Promise<void> {
  const home = makeTempDir('admin');
  const server = await startBundled({ dataDir: home.path, config: { ...ADMIN, ...config } });
  const client = new ZooKeeper({ connectString: server.connectString });
  const url = (command: string) => `http://127.0.0.1:${server.adminPort}/commands/${command}`;
  try {
    await client.connect();
    await run({
      server,
      client,
      dataDir: home.path,
      url,
      ask: async (command, init) => {
        const response = await fetch(url(command), init);
        return { status: response.status, json: (await response.json()) as Answer };
      },
    });
  } finally {
    await client.close();
    await server.close();
    home.remove();
  }
}
