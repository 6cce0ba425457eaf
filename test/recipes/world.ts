import type { ClientOptions, ZooKeeperClient } from '../../src/client/client.js';
import { createClient } from '../../src/client/zookeeper.js';
import { membersOf } from '../../src/recipes/sequence-node.js';
import { startProxy, type TestProxy } from '../support/proxy.js';
import { waitFor } from '../support/wait-for.js';

/** A server that answers, and how to end it. */
export interface TestServer {
  readonly port: number;
  close(): Promise<void>;
}

export interface World {
  /** A path of this test's own, with a parent that is missing too. */
  readonly path: string;
  readonly observer: ZooKeeperClient;
  /** A connected client with a session of its own; closed when the test ends. */
  client(options?: { timeoutMs?: number; through?: TestProxy }): Promise<ZooKeeperClient>;
  proxy(): Promise<TestProxy>;
  /** The children of `path`, none when it is missing. */
  children(): Promise<readonly string[]>;
  /** Waits until the queue of that kind has so many members, and gives them in order. */
  members(kind: string, count: number): Promise<readonly string[]>;
}

let worlds = 0;

/** Runs a test on a running server, with one of the clients, and closes all it opened. */
export async function inWorld(
  port: number,
  run: (world: World) => Promise<void>,
  create: (options: ClientOptions) => ZooKeeperClient = createClient,
): Promise<void> {
  const clients: ZooKeeperClient[] = [];
  const proxies: TestProxy[] = [];
  const path = `/recipes/test-${++worlds}`;
  const client: World['client'] = async ({ timeoutMs = 20_000, through } = {}) => {
    const connectString = `127.0.0.1:${through?.port ?? port}`;
    const made = create({ connectString, sessionTimeoutMs: timeoutMs });
    clients.push(made);
    await made.connect();
    return made;
  };
  try {
    const observer = await client();
    const children = async (): Promise<readonly string[]> =>
      (await observer.exists(path)) === null ? [] : (await observer.getChildren(path)).children;
    await run({
      path,
      observer,
      client,
      children,
      proxy: async () => {
        const proxy = await startProxy(port);
        proxies.push(proxy);
        return proxy;
      },
      members: (kind, count) =>
        waitFor(`${count} members of ${kind}`, async () => {
          const found = membersOf(await children(), kind);
          return found.length === count ? found : undefined;
        }),
    });
  } finally {
    await Promise.all(clients.map((each) => each.close()));
    await Promise.all(proxies.map((each) => each.close()));
  }
}

/** What a promise rejects with. */
export function failureOf(promise: Promise<unknown>): Promise<Error & { code?: unknown }> {
  return promise.then(
    () => {
      throw new Error('expected a rejection');
    },
    (error) => error,
  );
}

/** Counts, from now on, the events that watches of this client's getData are told. */
export function countWatchEvents(client: ZooKeeperClient): { count: number } {
  const counter = { count: 0 };
  const getData = client.getData.bind(client);
  client.getData = (path, options) => {
    const watch = options?.watch;
    if (typeof watch !== 'function') return getData(path, options);
    return getData(path, {
      watch: (event) => {
        counter.count++;
        watch(event);
      },
    });
  };
  return counter;
}
