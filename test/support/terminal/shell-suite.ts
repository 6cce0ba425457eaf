import { test } from 'uvu';
import type { ZooKeeperClient } from '../../../src/client/base/client.js';
import { createClient } from '../../../src/client/zookeeper.js';
import type { ClientKind } from '../../../src/commands/zksh/session/shell-session.js';
import { oracleTest, startOracle } from '../apache/oracle.js';
import { startBundled, startBundledEnsemble } from '../bundled.js';
import { makeServedShell, type ServedShell } from './served-shell.js';

type Run = (shell: ServedShell) => Promise<void>;

interface Served {
  readonly connectString: string;
  close(): Promise<void>;
}

const CONFIG = { extendedTypesEnabled: 'true' };
const QUOTAS = '/zookeeper/quota';

/** A kind of server. The first test that needs it starts it, and the last one closes it. */
class World {
  readonly name: string;
  readonly register: typeof test;
  private readonly start: () => Promise<Served>;
  private server: Served | undefined;
  private testsToCome = 0;

  constructor(name: string, register: typeof test, start: () => Promise<Served>) {
    this.name = name;
    this.register = register;
    this.start = start;
  }

  add(name: string, run: Run, clientKind: ClientKind): void {
    this.testsToCome++;
    this.register(`${name} (${this.name})`, async () => {
      this.testsToCome--;
      await this.inServer(run, clientKind);
    });
  }

  private async inServer(run: Run, clientKind: ClientKind): Promise<void> {
    this.server ??= await this.start();
    const { server } = this;
    const shell = makeServedShell(server.connectString, clientKind);
    let hasPassed = false;
    try {
      await run(shell);
      hasPassed = true;
    } finally {
      await shell.close();
      const isKept = hasPassed && this.testsToCome > 0 && (await isWiped(server.connectString));
      if (!isKept) {
        this.server = undefined;
        await server.close();
      }
    }
  }
}

/** Deletes all znodes of a test. Returns false if one remains. */
async function isWiped(connectString: string): Promise<boolean> {
  const client = createClient({ connectString });
  try {
    await client.connect();
    await wipe(client, '/');
    const { acl } = await client.getACL('/');
    const { children } = await client.getChildren(QUOTAS);
    return children.length === 0 && acl.length === 1 && acl[0]?.id.scheme === 'world';
  } catch {
    // An ACL may forbid it, so the next test gets a new server.
    return false;
  } finally {
    await client.close();
  }
}

async function wipe(client: ZooKeeperClient, path: string): Promise<void> {
  const { children } = await client.getChildren(path);
  const below = children
    .map((name) => `${path === '/' ? '' : path}/${name}`)
    .filter((child) => child !== '/zookeeper');
  for (const child of below) {
    await wipe(client, child);
    await client.delete(child);
  }
}

/** What `npm run conformance` sets: the same tests on Apache's server. */
const isConformance = process.env['TEST_SERVER'] === 'apache';
const WORLDS = isConformance
  ? [new World('Apache', oracleTest as typeof test, () => startOracle({ config: CONFIG }))]
  : [
      new World('bundled', test, () => startBundled({ config: CONFIG })),
      new World('an ensemble of three', test, () => startBundledEnsemble({ config: CONFIG })),
    ];

/**
 * Registers a test of verbs for one bundled server and for an ensemble of three, or for Apache's
 * server in a conformance run. Each run begins with an empty tree.
 */
export function serverTest(name: string, run: Run, clientKind: ClientKind = 'builtin'): void {
  for (const world of WORLDS) world.add(name, run, clientKind);
}
