// One suite for zksh/compat/zookeeper and for the npm package that it replaces: each test runs on
// both, so each assertion is a fact about Apache's C client, too.
import { once } from 'node:events';
import { test } from 'uvu';
import { loadNative } from '../../../src/client/native/native-binding.js';
import { type Config, type Stat, ZooKeeper } from '../../../src/compat/zookeeper/index.js';
import type { RunningServer } from '../../../src/server/main.js';
import { hasNative, nativeTest } from '../../conformance/clients/client-suite-native.js';
import { startBundled } from '../../support/bundled.js';
import { waitFor } from '../../support/wait-for.js';

export type Package = typeof ZooKeeper;
interface World {
  readonly Zk: Package;
  readonly zk: ZooKeeper;
  readonly server: RunningServer;
  /** Events of the client as "name argument". */
  readonly events: string[];
  readonly opened: ZooKeeper[];
  readonly open: (config?: Config) => Promise<ZooKeeper>;
}

const EVENTS = ['connect', 'connecting', 'close', 'created', 'deleted', 'changed', 'child'];

export const real = hasNative ? ((await loadNative()) as unknown as Package) : undefined;

/** Registers the test for both packages. */
export function suite(name: string, run: (world: World) => Promise<void>): void {
  test(`zksh: ${name}`, () => withWorld(ZooKeeper, run));
  nativeTest(`npm: ${name}`, () => withWorld(real ?? ZooKeeper, run));
}

export async function withWorld(Zk: Package, run: (world: World) => Promise<void>): Promise<void> {
  const server = await startBundled({ config: { tickTime: '100' } });
  const opened: ZooKeeper[] = [];
  const events: string[] = [];
  const open = async (config: Config = {}): Promise<ZooKeeper> => {
    const zk = new Zk({ connect: server.connectString, timeout: 5000, ...config });
    opened.push(zk);
    for (const event of EVENTS) {
      zk.on(event, (_client, detail) => events.push(`${event} ${detail}`.trim()));
    }
    zk.init({});
    await once(zk, 'connect');
    return zk;
  };
  try {
    await run({ Zk, zk: await open(), server, events, opened, open });
  } finally {
    // The C client blocks this process for 1.5 s if it closes a connected session.
    server.control.refuseConnections();
    server.control.cut();
    const isConnected = ({ state }: ZooKeeper): boolean => state === Zk.ZOO_CONNECTED_STATE;
    await waitFor('lost connections', () => !opened.some(isConnected));
    for (const zk of opened) zk.close();
    await server.close();
  }
}

/** The arguments of the callback, or the code of a call that has none. */
export function reply(call: (callback: (...got: unknown[]) => void) => number): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    try {
      const code = call((...got) => resolve(got.map(plain)));
      if (code !== 0) resolve([`returned ${code}`]);
    } catch (error) {
      reject(error);
    }
  });
}

/** Values to compare: a Stat by what two servers share, bytes as text. */
export function plain(value: unknown): unknown {
  if (Buffer.isBuffer(value)) return `bytes ${value}`;
  if (typeof value !== 'object' || value === null || !('czxid' in value)) return value;
  const stat = value as Stat;
  const types = Object.values(stat).map((each) => (each instanceof Date ? 'Date' : typeof each));
  return `${Object.keys(stat)} ${types} ${stat.version} ${stat.dataLength} ${stat.createdInThisSession}`;
}

export const statText = (version: number, length: number, isOwn = false): string =>
  'czxid,mzxid,pzxid,dataLength,numChildren,version,cversion,aversion,ctime,mtime,ephemeralOwner,' +
  'createdInThisSession number,number,number,number,number,number,number,number,Date,Date,string,' +
  `boolean ${version} ${length} ${isOwn}`;

export const failure = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'no failure',
    (error: Error) => error.message,
  );
