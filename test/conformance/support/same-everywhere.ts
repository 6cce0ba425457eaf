import * as assert from 'uvu/assert';
import { askWord, type SessionClient } from '../../../src/client/index.js';
import type { Seat } from '../../support/apache/oracle-ensemble.js';
import { withClient } from '../../support/peers/seat-client.js';
import { waitFor } from '../../support/wait-for.js';

// The reports of the members of one ensemble, and whether all have the same tree.

/** A member, and where it serves. */
export type Place = Pick<Seat, 'sid' | 'connectString'>;

async function ask({ connectString }: Place, word: string): Promise<string> {
  const [host = '', port] = connectString.split(':');
  return `${await askWord({ host, port: Number(port) }, word)}`;
}

/** Its reported role, or undefined if it serves no client or disconnects during a role change. */
export async function modeOf(seat: Place): Promise<string | undefined> {
  const answer = await ask(seat, 'srvr').catch(() => '');
  return /^Mode: (.*)$/m.exec(answer)?.[1];
}

/** The leader among the seats, or undefined if no leader answers. */
export async function leaderOf(seats: readonly Place[]): Promise<Place | undefined> {
  for (const seat of seats) {
    if ((await modeOf(seat)) === 'leader') return seat;
  }
  return undefined;
}

/** All znodes with data and Stat, except those that each server keeps in its own way. */
async function treeOf(seat: Place): Promise<ReadonlyMap<string, string>> {
  return withClient(seat, async (client) => {
    await client.sync('/');
    const tree = new Map<string, string>();
    await walk(client, '/', tree);
    return tree;
  });
}

async function walk(client: SessionClient, path: string, tree: Map<string, string>): Promise<void> {
  const { data, stat } = await client.getData(path);
  const shown = path.startsWith('/zookeeper') ? `${data}` : [`${data}`, stat];
  tree.set(
    path,
    JSON.stringify(shown, (_, value) => (typeof value === 'bigint' ? `${value}` : value)),
  );
  const { children } = await client.getChildren(path);
  const paths = [...children].sort().map((name) => (path === '/' ? `/${name}` : `${path}/${name}`));
  await Promise.all(paths.map((child) => walk(client, child, tree)));
}

export async function checkNoMismatches(seat: Place): Promise<void> {
  let count: string | undefined;
  // A member that syncs again for a moment does not tell.
  await waitFor(`the digest mismatches of server ${seat.sid}`, async () => {
    count = /^zk_digest_mismatches_count\t(.*)$/m.exec(await ask(seat, 'mntr'))?.[1];
    return count !== undefined;
  });
  assert.is(count, '0', `digest mismatches of server ${seat.sid}`);
}

/** No client may write during this check. */
export async function checkSameEverywhere(
  seats: readonly Place[],
  isProxied = false,
): Promise<void> {
  await checkSameTrees(seats, isProxied);
  for (const seat of seats) await checkNoMismatches(seat);
}

/** A session that expires during the check deletes its ephemerals. A real difference stays. */
const TRIES = 3;

export async function checkSameTrees(seats: readonly Place[], isProxied = false): Promise<void> {
  let differences: unknown[] = [];
  for (let i = 0; i < TRIES; i++) {
    differences = await differencesOf(seats, isProxied);
    if (differences.length === 0) return;
  }
  assert.equal(differences, []);
}

async function differencesOf(
  [first, ...others]: readonly Place[],
  isProxied: boolean,
): Promise<unknown[]> {
  if (first === undefined) return [];
  const differences: unknown[] = [];
  const expected = await treeOf(first);
  for (const seat of others) {
    const found = await treeOf(seat);
    for (const path of new Set([...expected.keys(), ...found.keys()])) {
      // Members that call each other through proxies have different lines.
      if (path === '/zookeeper/config' && isProxied) continue;
      const values = [expected.get(path), found.get(path)];
      if (values[0] !== values[1]) differences.push([first.sid, seat.sid, path, ...values]);
    }
  }
  return differences;
}
