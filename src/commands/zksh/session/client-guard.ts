import type { ZooKeeperClient } from '../../../client/client.js';
import type { Result } from '../results/result.js';

export interface Guard {
  readonly isReadOnly: boolean;
  readonly isDryRun: boolean;
  /** Where a dry run tells what would be done. */
  tellDryRun(result: Result): void;
}

/** The client as a session hands it out: what must not be changed is held back here. */
export async function guardClient(client: ZooKeeperClient, guard: Guard): Promise<ZooKeeperClient> {
  if (guard.isReadOnly) {
    const { readOnlyClient } = await import('./read-only-client.js');
    return readOnlyClient(client);
  }
  if (!guard.isDryRun) return client;
  const { dryRunClient } = await import('./dry-run-client.js');
  return dryRunClient(client, (result) => guard.tellDryRun(result));
}
