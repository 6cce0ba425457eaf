// conformance: runs against Apache's server, too.
// Two packages of others that depend on node-zookeeper-client, unchanged, over
// zksh/compat/node-zookeeper-client: only the resolution of that one name differs.
import { once } from 'node:events';
import nodeModule, { createRequire } from 'node:module';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import zookeeper, { type Stat } from '../../src/compat/node-zookeeper-client/index.js';
import { waitFor } from '../support/wait-for.js';
import { targetTest } from './targets.js';

type Done = (error: unknown, ...results: unknown[]) => void;

interface Watcher extends NodeJS.EventEmitter {
  mkdirp(path: string, callback: Done): void;
  create(path: string, data: Buffer, callback: Done): void;
  set(path: string, data: Buffer, callback: Done): void;
  getData(path: string, callback: Done): void;
  watch(path: string, listener: (error: Error | null, data?: Buffer, stat?: Stat) => void): void;
  unWatch(path: string): void;
  getSessionId(): Buffer;
  getSessionPassword(): Buffer;
  close(callback: () => void): void;
}

interface ClusterClient extends NodeJS.EventEmitter {
  connect(): void;
  mkdirp(path: string): Promise<string>;
  create(path: string, data: Buffer): Promise<string>;
  setData(path: string, data: Buffer): Promise<Stat>;
  getData(path: string): Promise<Buffer>;
  exists(path: string): Promise<Stat | null>;
  remove(path: string): Promise<void>;
  watch(path: string, listener: (error: Error | undefined, data?: Buffer) => void): void;
  watchChildren(
    path: string,
    listener: (error: Error | undefined, children?: readonly string[]) => void,
  ): void;
  getState(): unknown;
  getSessionId(): Buffer;
  getSessionPassword(): Buffer;
  close(): Promise<void>;
}

/** The loader of CommonJS, which has no type. */
interface Loader {
  _load(request: string, ...rest: readonly unknown[]): unknown;
}

/** Requires a package that gets our package under the name of the old one. */
function requireAliased<T>(name: string): T {
  const loader = nodeModule as unknown as Loader;
  const load = loader._load;
  loader._load = (request, ...rest) =>
    request === 'node-zookeeper-client' ? zookeeper : load.call(loader, request, ...rest);
  try {
    return createRequire(import.meta.url)(name);
  } finally {
    loader._load = load;
  }
}

function results(call: (done: Done) => void): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    call((error, ...values) => (error ? reject(error) : resolve(values)));
  });
}

targetTest(
  'zookeeper-watcher watches again after a lost connection and an expired session',
  async ({ connectString, proxy, expire }) => {
    type New = new (options: object) => Watcher;
    const ZooKeeperWatcher = requireAliased<New>('zookeeper-watcher');
    const watcher = new ZooKeeperWatcher({ hosts: [connectString], reconnectTimeout: 1 });
    const seen: string[] = [];
    await once(watcher, 'connected');
    await results((done) => watcher.mkdirp('/app/config', done));
    watcher.watch('/app/config', (error, data) => seen.push(error ? `${error}` : `${data}`));
    const set = async (text: string): Promise<void> => {
      await results((done) => watcher.set('/app/config', Buffer.from(text), done));
      await waitFor(text, () => seen.includes(text));
    };
    await set('one');
    proxy.cut();
    await once(watcher, 'connected');
    await set('two');
    const session = watcher.getSessionId().readBigInt64BE();
    const expired = once(watcher, 'expired');
    await expire(session, watcher.getSessionPassword());
    await expired;
    await once(watcher, 'connected');
    assert.is.not(watcher.getSessionId().readBigInt64BE(), session);
    await set('three');
    watcher.unWatch('/app/config');
    const [data] = await results((done) => watcher.getData('/app/config', done));
    assert.is(`${data}`, 'three');
    await new Promise<void>((resolve) => watcher.close(resolve));
  },
);

targetTest(
  'zookeeper-cluster-client shares one session, and watches through its end',
  async ({ connectString, expire }) => {
    interface Package {
      createClient(connectString: string): ClusterClient;
      readonly Exception: typeof zookeeper.Exception;
    }
    const cluster = requireAliased<Package>('zookeeper-cluster-client');
    assert.is(cluster.Exception, zookeeper.Exception);
    const client = cluster.createClient(connectString);
    client.connect();
    await new Promise<void>((resolve) => client.once('connected', resolve));
    assert.is(await client.mkdirp('/app/a'), '/app/a');
    assert.is(await client.create('/app/b', Buffer.from('b')), '/app/b');
    assert.is(`${await client.getData('/app/b')}`, 'b');
    const seen: string[] = [];
    client.watch('/app/b', (error, data) => seen.push(error ? `${error}` : `${data}`));
    client.watchChildren('/app', (_error, children = []) => seen.push([...children].join()));
    await waitFor('the first values', () => seen.length === 2);
    await client.setData('/app/b', Buffer.from('c'));
    await waitFor('the change', () => seen.includes('c'));
    await client.remove('/app/a');
    await waitFor('the children', () => seen.includes('b'));
    assert.is(await client.exists('/app/a'), null);
    assert.equal({ ...(client.getState() as object) }, { name: 'SYNC_CONNECTED', code: 3 });
    const failed = await client.getData('/none').catch((error: unknown) => error);
    assert.is((failed as Error).message, 'Exception: NO_NODE[-101]@/none');
    const session = client.getSessionId().readBigInt64BE();
    await expire(session, client.getSessionPassword());
    await waitFor('a new session', () => client.getSessionId().readBigInt64BE() !== session);
    await client.setData('/app/b', Buffer.from('d'));
    await waitFor('the change after it', () => seen.includes('d'));
    await client.close();
  },
);

test.run();
