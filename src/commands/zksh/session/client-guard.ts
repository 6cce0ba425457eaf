import type { ZooKeeperClient } from '../../../client/base/client.js';
import type { Result } from '../../results/result.js';

export interface Guard {
  readonly isReadOnly: boolean;
  readonly isDryRun: boolean;
  reportDryRun(result: Result): void;
}

export async function guardClient(client: ZooKeeperClient, guard: Guard): Promise<ZooKeeperClient> {
  if (guard.isReadOnly) {
    const { readOnlyClient } = await import('./read-only-client.js');
    return readOnlyClient(client);
  }
  if (!guard.isDryRun) return client;
  const { dryRunClient } = await import('./dry-run-client.js');
  return dryRunClient(client, (result) => guard.reportDryRun(result));
}
