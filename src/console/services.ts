import type { ZooKeeperClient } from '../client/base/client.js';
import type { About } from './api/shapes.js';
import type { ChangeLog } from './change-log.js';
import type { EnsemblePoller } from './ensemble-poller.js';
import type { ProtectedPaths } from './protected-paths.js';
import type { Workspace } from './workspaces.js';

/** For the requests of one login. */
export interface Services extends Omit<Workspace, 'session'> {
  readonly about: About;
  readonly poller: EnsemblePoller;
  readonly client: () => Promise<ZooKeeperClient>;
  /** Records the change for undo. */
  readonly change: <T>(title: string, work: (client: ZooKeeperClient) => Promise<T>) => Promise<T>;
  readonly protectedPaths: ProtectedPaths;
  readonly changes: ChangeLog;
  /** The entries of docs/runbook.md, by the names of findings. */
  readonly runbook: ReadonlyMap<string, string>;
  readonly allowsSnapshots: boolean;
  readonly openApi: () => unknown;
}
