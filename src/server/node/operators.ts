/** What operators reach a server by, beside the words: AdminServer and Prometheus. */
import { stat } from 'node:fs/promises';
import { refuseUnauthorized } from '../admin/authorize.js';
import type { Config } from '../config.js';
import type { Server } from '../server.js';
import { AdminServer, type SizedSnapshot } from './admin-server.js';
import { makeAdminView } from './admin-view.js';
import type { Driver, Storage } from './driver.js';

export interface OperatorsOptions {
  readonly config: Config;
  readonly server: Server;
  readonly driver: Driver;
  readonly storage: Storage | null;
  readonly isAdminServerAsked: boolean;
  readonly onWarning: (message: string) => void;
}

export interface Operators {
  /** Undefined where none listens. */
  readonly adminPort: number | undefined;
  close(): Promise<void>;
}

/** A port that cannot be had is a warning: clients are served without it, as by Apache's server. */
export async function startOperators(options: OperatorsOptions): Promise<Operators> {
  const adminServer = options.isAdminServerAsked ? makeAdminServer(options) : undefined;
  const isListening = await tryListen('AdminServer', adminServer, options);
  return {
    adminPort: isListening ? adminServer?.port : undefined,
    close: async () => {
      await adminServer?.close();
    },
  };
}

async function tryListen(
  name: string,
  server: { listen(): Promise<void> } | undefined,
  { onWarning }: OperatorsOptions,
): Promise<boolean> {
  try {
    await server?.listen();
    return true;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    onWarning(`the ${name} does not run: ${why}; clients are served without it`);
    return false;
  }
}

function makeAdminServer({ config, server, driver, storage }: OperatorsOptions): AdminServer {
  const snapFolder = storage?.dir.snapFolder ?? null;
  return new AdminServer({
    host: config.adminServerAddress,
    port: config.adminServerPort,
    idleTimeoutMs: config.adminIdleTimeoutMs,
    commandURL: config.adminCommandURL.replace(/\/+$/, ''),
    admin: makeAdminView({ server, config, snapFolder, step: driver.step }),
    authorize: (header, remoteIp) => {
      const { auth, tree } = server.state;
      return refuseUnauthorized(auth, tree.aclOf(tree.root), header, remoteIp);
    },
    isSnapshotEnabled: config.adminSnapshotEnabled,
    rateLimiterIntervalMs: config.adminRateLimiterIntervalMs,
    takeSnapshot: storage === null ? null : () => writeSnapshot(server, driver),
  });
}

async function writeSnapshot(server: Server, driver: Driver): Promise<SizedSnapshot> {
  const file = await driver.writeSnapshot(() => server.snapshotContent());
  return { ...file, size: (await stat(file.path)).size };
}
