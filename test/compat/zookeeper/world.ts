// One suite for zksh/compat/zookeeper and for the npm package that it replaces: each test runs on
// both, so each assertion is a fact about Apache's C client, too.
import { once } from 'node:events';
import { loadNative } from '../../../src/client/native/native-binding.js';
import { type Config, type Stat, ZooKeeper } from '../../../src/compat/zookeeper/index.js';
import { hasNative } from '../../conformance/clients/client-suite-native.js';
import { waitFor } from '../../support/wait-for.js';
import { type Target, targetTest } from '../targets.js';

export type Package = typeof ZooKeeper;
interface World {
  readonly Zk: Package;
  readonly zk: ZooKeeper;
  readonly target: Target;
  /** Events of the client as "name argument". */
  readonly events: string[];
  readonly opened: ZooKeeper[];
  readonly open: (config?: Config) => Promise<ZooKeeper>;
}

const EVENTS = ['connect', 'connecting', 'close', 'created', 'deleted', 'changed', 'child'];

export const real = hasNative ? ((await loadNative()) as unknown as Package) : undefined;

/** Registers the test for both packages. */
export function suite(name: string, run: (world: World) => Promise<void>): void {
  targetTest(`zksh: ${name}`, (target) => withWorld(target, ZooKeeper, run));
  if (real !== undefined) targetTest(`npm: ${name}`, (target) => withWorld(target, real, run));
}

export async function withWorld(
  target: Target,
  Zk: Package,
  run: (world: World) => Promise<void>,
): Promise<void> {
  const opened: ZooKeeper[] = [];
  const events: string[] = [];
  const open = async (config: Config = {}): Promise<ZooKeeper> => {
    const zk = new Zk({ connect: target.connectString, timeout: 5000, ...config });
    opened.push(zk);
    for (const event of EVENTS) {
      zk.on(event, (_client, detail) => events.push(`${event} ${detail}`.trim()));
    }
    zk.init({});
    await once(zk, 'connect');
    return zk;
  };
  try {
    await run({ Zk, zk: await open(), target, events, opened, open });
  } finally {
    // The C client blocks this process for 1.5 s if it closes a connected session.
    target.proxy.refuse();
    const isConnected = ({ state }: ZooKeeper): boolean => state === Zk.ZOO_CONNECTED_STATE;
    await waitFor('lost connections', () => !opened.some(isConnected));
    for (const zk of opened) zk.close();
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
