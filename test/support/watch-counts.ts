import { askWord, type ZooKeeperClient } from '../../src/client/index.js';
import type { ClientWatches } from '../../src/client/session/client-watches.js';
import { wchc } from '../../src/fourlw/wchc.js';
import { formatSessionId } from '../../src/protocol/session-id.js';
import { waitFor } from './wait-for.js';

/** The watches of all sessions of a server, of data and of children (wchc lacks the latter). */
export async function watchCount(port: number): Promise<number> {
  const answer = String(await askWord({ host: '127.0.0.1', port }, 'mntr'));
  return Number(/^zk_watch_count\s+(\d+)/m.exec(answer)?.[1]);
}

/** The paths of which the server watches the data for the session of a client. */
export async function watchedBy(port: number, client: ZooKeeperClient): Promise<readonly string[]> {
  const answer = await askWord({ host: '127.0.0.1', port }, 'wchc');
  const id = formatSessionId(client.sessionId);
  const { sessions } = wchc.parse(String(answer));
  return sessions.find(([session]) => session === id)?.[1] ?? [];
}

/** Whether the client itself keeps no watcher. */
export function hasNoWatcher(client: ZooKeeperClient): boolean {
  const { driver } = client as unknown as {
    driver: { session: { watches: ClientWatches } };
  };
  return driver.session.watches.isEmpty;
}

/** Waits until neither side has a watch; no other session may have one. */
export async function noWatchLeft(port: number, client: ZooKeeperClient): Promise<void> {
  let left = 0;
  const isClean = async (): Promise<boolean> => {
    left = await watchCount(port);
    return left === 0 && hasNoWatcher(client);
  };
  await waitFor('no watch', isClean, 3000).catch(() => {
    throw new Error(`watches left: ${left} at the server, any here: ${!hasNoWatcher(client)}`);
  });
}
