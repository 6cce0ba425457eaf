import type { ClientState, SessionClient, WatchEvent } from '../../../src/client/base/client.js';
import type { ClientOptions } from '../../../src/client/base/client-options.js';
import { UnsupportedError, ZooKeeperError } from '../../../src/client/base/errors.js';
import { CreateModes } from '../../../src/protocol/create-mode.js';
import { startProxy, type TestProxy } from '../../support/peers/proxy.js';
import { waitFor } from '../../support/wait-for.js';

export interface SuiteServer {
  /** The port of one member, if it is an ensemble. */
  readonly port: number;
  /** Names all members. */
  readonly connectString: string;
  close(): Promise<void>;
}

export interface SuiteOptions {
  /** uvu's `test`, or its `skip`. */
  readonly test: (title: string, run: () => Promise<void>) => void;
  /** Apache's C client lacks some operations, and must refuse them with a clear error. */
  readonly isNative: boolean;
  /** Whether the server is Apache's. Default: ours. */
  readonly isApache?: boolean;
  makeClient(options: ClientOptions): SessionClient;
  /** With a tickTime of 500 ms, so that session timeouts are from 1 to 10 s. */
  startServer(): Promise<SuiteServer>;
}

/** A client, and the events it received. */
export interface TestClient {
  readonly zk: SessionClient;
  readonly states: ClientState[];
  /** Events of the default watcher. */
  readonly events: WatchEvent[];
}

/** The tools of a test. */
export interface TestWorld extends TestClient {
  /** An existing znode for this test only. */
  readonly root: string;
  readonly isApache: boolean;
  /** Names all members: another session sees writes after a sync. */
  readonly connectString: string;
  /** Another client, connected. Closed with the test. */
  connect(options?: Partial<ClientOptions>): Promise<TestClient>;
  /** Another client, not connected. Closed with the test. */
  make(options?: Partial<ClientOptions>): TestClient;
  /** A proxy before the server, or before one of the members. Closed with the test. */
  proxy(): Promise<TestProxy>;
}

export interface Suite {
  readonly isNative: boolean;
  /** Registers a test. */
  check(title: string, run: (world: TestWorld) => Promise<void>): void;
  /** Registers a test of an operation that the native client must refuse. */
  checkUnlessNative(title: string, run: (world: TestWorld) => Promise<unknown>): void;
}

/** Makes the world of a test, and cleans it up. */
export async function withWorld(
  options: SuiteOptions,
  server: SuiteServer,
  root: string,
  run: (world: TestWorld) => Promise<void>,
): Promise<void> {
  const clients: SessionClient[] = [];
  const proxies: TestProxy[] = [];
  const make = (changed: Partial<ClientOptions> = {}): TestClient => {
    const { connectString } = server;
    const zk = options.makeClient({ connectString, sessionTimeoutMs: 10_000, ...changed });
    clients.push(zk);
    const states: ClientState[] = [];
    const events: WatchEvent[] = [];
    zk.on('state', (state) => states.push(state));
    zk.on('watch', (event) => events.push(event));
    return { zk, states, events };
  };
  const connect = async (changed?: Partial<ClientOptions>): Promise<TestClient> => {
    const client = make(changed);
    await client.zk.connect();
    return client;
  };
  const proxy = async (): Promise<TestProxy> => {
    const started = await startProxy(server.port);
    proxies.push(started);
    return started;
  };
  try {
    const client = await connect();
    await client.zk.create(root, Buffer.alloc(0));
    const { isApache = false } = options;
    const { connectString } = server;
    await run({ ...client, root, isApache, connectString, connect, make, proxy });
  } finally {
    for (const started of proxies) started.mend();
    await Promise.all(clients.map((zk) => zk.close()));
    await Promise.all(proxies.map((started) => started.close()));
  }
}

export const text = (data: Buffer | null): string | null => data?.toString() ?? null;

/** Creates a znode with a text, by default persistent. */
export async function createText(
  zk: SessionClient,
  path: string,
  value = '',
  mode: (typeof CreateModes)[keyof typeof CreateModes] = CreateModes.PERSISTENT,
): Promise<string> {
  return (await zk.create(path, Buffer.from(value), { mode })).path;
}

/** Fails unless the promise rejects with this ZooKeeper error. Returns the error. */
export async function expectError(code: string, asked: Promise<unknown>): Promise<ZooKeeperError> {
  const found = await asked.then(
    () => 'a result',
    (error: unknown) => error,
  );
  if (found instanceof ZooKeeperError && found.code === code) return found;
  throw new Error(`expected ${code}, found ${String(found)}`, { cause: found });
}

export async function expectUnsupported(asked: Promise<unknown>): Promise<void> {
  const found = await asked.then(
    () => 'a result',
    (error: unknown) => error,
  );
  if (found instanceof UnsupportedError && /built-in client/.test(found.message)) return;
  throw new Error(`expected an UnsupportedError, found ${String(found)}`, { cause: found });
}

export async function waitForState(client: TestClient, state: ClientState): Promise<void> {
  await waitFor(`the state ${state}`, () => client.states.includes(state));
}

export const shown = (events: readonly WatchEvent[]): string[] =>
  events.map(({ type, path }) => `${type} ${path}`);
