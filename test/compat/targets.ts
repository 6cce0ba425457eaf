// The servers on which the suites of the replaced packages run: ours, three of ours, and with
// TEST_SERVER=apache Apache's. All are behind a proxy, so that each has the same faults.
import { test } from 'uvu';
import { createClient } from '../../src/client/index.js';
import { oracleTest, startOracle } from '../support/apache/oracle.js';
import { startBundled, startBundledEnsemble } from '../support/bundled.js';
import { startProxy, type TestProxy } from '../support/peers/proxy.js';
import { SharedByTests } from '../support/shared-by-tests.js';

export interface Target {
  /** The proxy, with a chroot of its own. */
  readonly connectString: string;
  readonly proxy: TestProxy;
  /** Ends a session on the server before its client is back. */
  expire(id: bigint, password: Buffer): Promise<void>;
}

/** The longest session timeout is 2000 ms. */
const TICK = { tickTime: '100' };

interface Servers {
  /** A test uses one of them. */
  readonly ports: readonly number[];
  close(): Promise<void>;
}

interface Kind {
  readonly name: string;
  start(): Promise<Servers>;
}

const OURS: readonly Kind[] = [
  {
    name: 'a server',
    start: async () => {
      const server = await startBundled({ config: TICK });
      return { ports: [server.port], close: () => server.close() };
    },
  },
  {
    name: 'three servers',
    start: async () => {
      const ensemble = await startBundledEnsemble({ config: TICK });
      const ports = ensemble.members.map(({ port }) => port);
      return { ports, close: () => ensemble.close() };
    },
  },
];

const APACHES: readonly Kind[] = [
  {
    name: "Apache's server",
    start: async () => {
      const server = await startOracle({ config: TICK });
      return { ports: [server.port], close: () => server.close() };
    },
  },
];

const isApache = process.env['TEST_SERVER'] === 'apache';
const register = isApache ? oracleTest : test;
const kinds = (isApache ? APACHES : OURS).map(({ name, start }) => ({
  name,
  shared: new SharedByTests(start),
}));
let targets = 0;

/** Registers the test on each kind of server. */
export function targetTest(name: string, run: (target: Target) => Promise<void>): void {
  for (const { name: kind, shared } of kinds) {
    register(
      `${kind}: ${name}`,
      shared.use(({ ports }) => withTarget(ports, run)),
    );
  }
}

async function withTarget(
  ports: readonly number[],
  run: (target: Target) => Promise<void>,
): Promise<void> {
  const turn = targets++;
  const port = ports[turn % ports.length] ?? 0;
  const chroot = `/target-${turn}`;
  const maker = createClient({ connectString: `127.0.0.1:${port}` });
  await maker.connect();
  await maker.create(chroot, null);
  await maker.close();
  const proxy = await startProxy(port);
  try {
    await run({
      connectString: proxy.connectString + chroot,
      proxy,
      expire: async (id, password) => {
        proxy.refuse();
        const session = { id, password };
        const owner = createClient({ connectString: `127.0.0.1:${port}`, session });
        await owner.connect();
        await owner.close();
        proxy.mend();
      },
    });
  } finally {
    await proxy.close();
  }
}
