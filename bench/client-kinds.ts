/** The clients to compare, with the few calls that the measurement needs. */
import { createRequire } from 'node:module';
import { createClient } from '../src/client/zookeeper.js';

export type ClientKind = 'zksh' | 'node-zookeeper-client' | 'zookeeper';

export type Done = (error: unknown) => void;

export interface BenchClient {
  get(path: string, done: Done): void;
  set(path: string, data: Buffer, done: Done): void;
  /** Sets a watch on a znode that does not exist, with a listener of its own. */
  watch(path: string, done: Done): void;
  close(): Promise<void>;
}

const SESSION_TIMEOUT_MS = 30_000;
const require = createRequire(import.meta.url);

/** The version of the package; undefined if it is not installed, or not built. */
export function versionOf(kind: ClientKind): string | undefined {
  if (kind === 'zksh') return '';
  try {
    require(kind);
    return String(require(`${kind}/package.json`).version);
  } catch {
    return undefined;
  }
}

export function openClient(kind: ClientKind, connectString: string): Promise<BenchClient> {
  if (kind === 'zksh') return openOurs(connectString);
  return kind === 'zookeeper' ? openNative(connectString) : openOld(connectString);
}

async function openOurs(connectString: string): Promise<BenchClient> {
  const client = createClient({ connectString, sessionTimeoutMs: SESSION_TIMEOUT_MS });
  await client.connect();
  return {
    get: (path, done) => void client.getData(path).then(() => done(undefined), done),
    set: (path, data, done) => void client.setData(path, data).then(() => done(undefined), done),
    watch: (path, done) =>
      void client.exists(path, { watch: () => done(path) }).then(() => done(undefined), done),
    close: () => client.close(),
  };
}

/** What the measurement uses of node-zookeeper-client. */
interface OldClient {
  once(event: string, listener: () => void): void;
  connect(): void;
  close(): void;
  getData(path: string, done: Done): void;
  setData(path: string, data: Buffer, done: Done): void;
  exists(path: string, watcher: () => void, done: Done): void;
}

async function openOld(connectString: string): Promise<BenchClient> {
  const client: OldClient = require('node-zookeeper-client').createClient(connectString, {
    sessionTimeout: SESSION_TIMEOUT_MS,
  });
  await new Promise<void>((resolve) => {
    client.once('connected', resolve);
    client.connect();
  });
  return {
    get: (path, done) => client.getData(path, done),
    set: (path, data, done) => client.setData(path, data, done),
    watch: (path, done) => client.exists(path, () => done(path), done),
    close: () =>
      new Promise((resolve) => {
        client.once('disconnected', resolve);
        client.close();
      }),
  };
}

type NativeDone = (code: number) => void;

/** What the measurement uses of the binding of Apache's C client. */
interface NativeClient {
  once(event: string, listener: () => void): void;
  init(config: Readonly<Record<string, unknown>>): void;
  close(): void;
  a_get(path: string, watch: boolean, done: NativeDone): number;
  a_set(path: string, data: Buffer, version: number, done: NativeDone): number;
  aw_exists(path: string, watcher: () => void, done: NativeDone): number;
}

const NO_NODE = -101;

async function openNative(connect: string): Promise<BenchClient> {
  const Native: new () => NativeClient = require('zookeeper');
  const client = new Native();
  await new Promise<void>((resolve) => {
    client.once('connect', resolve);
    client.init({
      connect,
      timeout: SESSION_TIMEOUT_MS,
      debug_level: 1,
      data_as_buffer: true,
      host_order_deterministic: false,
    });
  });
  const settle =
    (done: Done): NativeDone =>
    (code) =>
      done(code === 0 || code === NO_NODE ? undefined : new Error(`code ${code}`));
  return {
    get: (path, done) => void client.a_get(path, false, settle(done)),
    set: (path, data, done) => void client.a_set(path, data, -1, settle(done)),
    watch: (path, done) => void client.aw_exists(path, () => done(path), settle(done)),
    close: async () => client.close(),
  };
}
