import * as assert from 'uvu/assert';
import type { ZooKeeper } from '../../../src/client/zookeeper.js';

/** An AdminServer that lets everything be done at once. */
export const ADMIN = {
  'admin.enableServer': 'true',
  'admin.serverAddress': '127.0.0.1',
  'admin.serverPort': '0',
  'admin.rateLimiterIntervalInMS': '0',
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
