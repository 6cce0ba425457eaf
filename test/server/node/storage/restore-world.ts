import * as assert from 'uvu/assert';
import { ZooKeeper } from '../../../../src/client/zookeeper.js';
import { startBundled } from '../../../support/bundled.js';
import { ADMIN as QUIET_ADMIN } from '../admin/admin-world.js';

/** An AdminServer that permits everything without delay. */
export const ADMIN = {
  ...QUIET_ADMIN,
  'admin.rateLimiterIntervalInMS': '0',
  'admin.anyoneMayTransfer': 'true',
};
export const AS_ROOT = { Authorization: 'digest root:secret' };

export type Answer = { readonly status: number; readonly json: Readonly<Record<string, unknown>> };

export async function restore(adminPort: number, body: Uint8Array, headers = {}): Promise<Answer> {
  const url = `http://127.0.0.1:${adminPort}/commands/restore`;
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...AS_ROOT, ...headers },
    body: new Uint8Array(body),
  });
  return { status: response.status, json: (await response.json()) as Answer['json'] };
}

export async function snapshot(adminPort: number): Promise<Buffer> {
  const url = `http://127.0.0.1:${adminPort}/commands/snapshot`;
  const response = await fetch(url, { headers: AS_ROOT });
  assert.is(response.status, 200);
  return Buffer.from(await response.arrayBuffer());
}

export async function namesBelowRoot(client: ZooKeeper): Promise<string[]> {
  return [...(await client.getChildren('/')).children].sort();
}

/** The znodes below "/" after a start on the directory. */
export async function namesServedFrom(dataDir: string): Promise<string[]> {
  const server = await startBundled({ dataDir });
  const client = new ZooKeeper({ connectString: server.connectString });
  try {
    await client.connect();
    return await namesBelowRoot(client);
  } finally {
    await client.close();
    await server.close();
  }
}
