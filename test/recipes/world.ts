import type { Watcher, ZooKeeperClient } from '../../src/client/base/client.js';
import type { ClientOptions } from '../../src/client/base/client-options.js';
import { ZooKeeperError } from '../../src/client/base/errors.js';
import { createClient } from '../../src/client/zookeeper.js';
import { membersOf } from '../../src/recipes/base/members.js';
import { startProxy, type TestProxy } from '../support/peers/proxy.js';
import { waitFor } from '../support/wait-for.js';

/** A running server, and a function that stops it. */
export interface TestServer {
  readonly port: number;
  close(): Promise<void>;
}

export interface World {
  /** A path for this test only; its parent does not exist. */
  readonly path: string;
  readonly observer: ZooKeeperClient;
  /** A connected client with a separate session; closed when the test ends. */
  client(options?: { timeoutMs?: number; through?: TestProxy }): Promise<ZooKeeperClient>;
  proxy(): Promise<TestProxy>;
  /** The children of `path`; empty if it does not exist. */
  children(): Promise<readonly string[]>;
  /** The znodes below `path`, without the containers that a recipe creates there. */
  leftovers(): Promise<readonly string[]>;
  /** Waits until the line of that kind has `count` places, and returns them in order. */
  members(kind: string, count: number): Promise<readonly string[]>;
}

let worlds = 0;

/**
 * Runs a test on a running server with a client, and closes everything that it opened.
 * @param target a port of this machine, or a connect string; proxies need a port
 */
export async function inWorld(
  target: number | string,
  run: (world: World) => Promise<void>,
  create: (options: ClientOptions) => ZooKeeperClient = createClient,
): Promise<void> {
  const clients: ZooKeeperClient[] = [];
  const proxies: TestProxy[] = [];
  const path = `/recipes/test-${++worlds}`;
  const client: World['client'] = async ({ timeoutMs = 20_000, through } = {}) => {
    const direct = typeof target === 'number' ? `127.0.0.1:${target}` : target;
    const connectString = through?.connectString ?? direct;
    const made = create({ connectString, sessionTimeoutMs: timeoutMs });
    clients.push(made);
    await made.connect();
    return made;
  };
  try {
    const observer = patient(await client());
    const childrenOf = (parent: string) => childrenIn(observer, parent);
    const children = () => childrenOf(path);
    await run({
      path,
      observer,
      client,
      children,
      leftovers: async () => {
        let found: readonly string[] = [];
        // The last receipt of a queue stays for a moment.
        await waitFor('the receipts to go', async () => {
          await observer.sync(path);
          found = await pathsBelow(observer, path);
          return !found.some((each) => each.endsWith('-receipt'));
        });
        return found
          .map((each) => each.slice(path.length + 1))
          .filter((each) => !isContainer(each));
      },
      proxy: async () => {
        const proxy = await startProxy(Number(target));
        proxies.push(proxy);
        return proxy;
      },
      members: (kind, count) =>
        waitFor(`${count} members of ${kind}`, async () => {
          // The takers of a queue stand in a line below it, or beside it.
          const lines = kind === 'taker' ? [`${path}/takers`, `${path}-takers`] : [];
          const apart = await Promise.all(lines.map(childrenOf));
          const found = membersOf([...(await children()), ...apart.flat()], kind);
          return found.length === count ? found : undefined;
        }),
    });
  } finally {
    await Promise.all(clients.map((each) => each.close()));
    await Promise.all(proxies.map((each) => each.close()));
  }
}

/**
 * Retries after a lost connection, and syncs before reads, so that the observer sees the writes of
 * all clients on any server.
 */
function patient(client: ZooKeeperClient): ZooKeeperClient {
  const sync = client.sync.bind(client);
  const again =
    <A extends readonly [string, ...unknown[]], R>(send: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> =>
      waitFor('an answer for the observer', async () => {
        try {
          await sync(args[0]);
          return { answer: await send(...args) };
        } catch (error) {
          if (error instanceof ZooKeeperError && error.code === 'CONNECTIONLOSS') return undefined;
          throw error;
        }
      }).then(({ answer }) => answer);
  client.exists = again(client.exists.bind(client));
  client.getData = again(client.getData.bind(client));
  client.getChildren = again(client.getChildren.bind(client));
  client.setData = again(client.setData.bind(client));
  client.sync = again(sync);
  const remove = client.delete.bind(client);
  client.delete = again((path, version) =>
    // An earlier attempt may have deleted it.
    remove(path, version).catch((error) => {
      if (!(error instanceof ZooKeeperError && error.code === 'NONODE')) throw error;
    }),
  );
  return client;
}

const CONTAINERS = ['locks', 'leases', 'takers', 'web', 'entries', 'taken', 'members'];

function isContainer(path: string): boolean {
  const [name = '', above] = path.split('/').reverse();
  // A partitioner has a line for each name.
  return CONTAINERS.includes(name) || (above === 'locks' && /^p\d+$/.test(name));
}

/** Empty if it does not exist: the server deletes an empty container at any time. */
async function childrenIn(client: ZooKeeperClient, path: string): Promise<readonly string[]> {
  try {
    return (await client.getChildren(path)).children;
  } catch (error) {
    if (error instanceof ZooKeeperError && error.code === 'NONODE') return [];
    throw error;
  }
}

async function pathsBelow(client: ZooKeeperClient, path: string): Promise<readonly string[]> {
  const children = await childrenIn(client, path);
  const below = children.map(async (name) => {
    const child = `${path}/${name}`;
    return [child, ...(await pathsBelow(client, child))];
  });
  return (await Promise.all(below)).flat();
}

/** The message of the reason for which a signal ended a call. */
export function causeOf({ cause }: Error): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** The error with which a promise rejects. */
export function failureOf(promise: Promise<unknown>): Promise<Error & { code?: unknown }> {
  return promise.then(
    () => {
      throw new Error('expected a rejection');
    },
    (error) => error,
  );
}

/** Counts the data events that this client's watches report from now on. */
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

/** The kinds of places that this client's watches report, in the order of the events. */
export function recordWatchEvents(client: ZooKeeperClient): readonly string[] {
  const reported: string[] = [];
  const getData = client.getData.bind(client);
  client.getData = async (path, options) => {
    const watch = options?.watch;
    if (typeof watch !== 'function') return getData(path, options);
    let isOwn = false;
    const report: Watcher = (event) => {
      if (!isOwn) reported.push(path.split('-').at(-2) ?? path);
      watch(event);
    };
    const found = await getData(path, { watch: report });
    isOwn = found.stat.ephemeralOwner === client.sessionId;
    return found;
  };
  return reported;
}
