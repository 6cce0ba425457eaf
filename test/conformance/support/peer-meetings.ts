import type { ZooKeeperClient } from '../../../src/client/base/client.js';
import { createClient } from '../../../src/client/zookeeper.js';
import { hasOracle, ORACLE, startOracle } from '../../support/apache/oracle.js';
import { startBundled } from '../../support/bundled.js';
import { SharedByTests } from '../../support/shared-by-tests.js';
import { waitFor } from '../../support/wait-for.js';
import type { curatorTest, Peer } from './peers.js';

/** A client of ours and a program with other recipes on one server. */
export interface Meeting {
  readonly client: ZooKeeperClient;
  readonly peer: Peer;
  close(): Promise<void>;
}

type StartServer = () => Promise<{ readonly connectString: string; close(): Promise<void> }>;
type StartPeer = (connectString: string) => Peer;

const SERVERS: readonly (readonly [name: string, start: StartServer])[] = [
  ['our server', () => startBundled()],
  ...(hasOracle ? [[ORACLE, () => startOracle()] as const] : []),
];

async function meet(startServer: StartServer, startPeer: StartPeer): Promise<Meeting> {
  const server = await startServer();
  const client = createClient({ connectString: server.connectString });
  await client.connect();
  const peer = startPeer(server.connectString);
  const close = async (): Promise<void> => {
    await peer.close();
    await client.close();
    await server.close();
  };
  return { client, peer, close };
}

/** Registers tests with this peer on each kind of server. */
export function testsWith(peerTest: typeof curatorTest, startPeer: StartPeer) {
  const meetings = SERVERS.map(([server, start]) => ({
    server,
    meeting: new SharedByTests(() => meet(start, startPeer)),
  }));
  return (name: string, run: (meeting: Meeting) => Promise<void>): void => {
    for (const { server, meeting } of meetings) peerTest(`${name}: ${server}`, meeting.use(run));
  };
}

/** Waits for this number of places, and returns whether `promise` has settled by then. */
export async function isOverWith(
  promise: Promise<unknown>,
  client: ZooKeeperClient,
  path: string,
  places: number,
): Promise<boolean> {
  let isOver = false;
  promise.then(
    () => {
      isOver = true;
    },
    () => undefined,
  );
  await waitFor(`${places} places`, async () => {
    const stat = await client.exists(path);
    return stat?.numChildren === places;
  });
  return isOver;
}
