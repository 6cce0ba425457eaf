import { connect, createServer, type Server, type Socket } from 'node:net';
import { FrameSplitter, xidOf } from '../bytes/zk-frames.js';
import { freePort } from '../machine/free-port.js';

/** A TCP proxy on the loopback interface with faults on demand. */
export interface TestProxy {
  readonly port: number;
  /** "127.0.0.1:port" */
  readonly connectString: string;
  /** The number of chunks that clients have sent through it. */
  readonly chunksFromClients: number;
  /** Breaks every connection, but accepts new ones. */
  cut(): void;
  /** Breaks every connection, and new ones at once, until `mend`. */
  refuse(): void;
  /** Holds back the responses of the server, until `mend`. */
  stall(): void;
  mend(): void;
  /**
   * Harms the `count`th request from now on, or its reply, once. Pings and the requests of a
   * reconnect do not count.
   */
  harmAt(count: number, harm: Harm): void;
  /** Whether the request or reply of harmAt has come by. */
  readonly hasHarmed: boolean;
  close(): Promise<void>;
}

/** A loss breaks the connection. A delay also holds back later replies. */
export type Harm = 'request is lost' | 'reply is lost' | 'reply is doubled' | 'reply is delayed';

/** Longer than what another session of the same test needs for several requests. */
const DELAY_MS = 25;

/** What harmAt requested, counted over all connections. */
interface HarmPlan {
  requestsLeft: number;
  harm: Harm;
  hasHarmed: boolean;
}

/** Forwards frames in both directions, and harms one of them by the plan. */
function relay(client: Socket, server: Socket, plan: HarmPlan): void {
  const breakOff = (): void => {
    plan.hasHarmed = true;
    client.destroy();
    server.destroy();
  };
  const [requests, replies] = [new FrameSplitter(), new FrameSplitter()];
  let [isFirstRequest, isFirstReply] = [true, true];
  let chosenXid: number | undefined;
  /** The delayed reply, and the replies after it. */
  let heldBack: Buffer[] | undefined;
  const release = (): void => {
    for (const frame of heldBack ?? []) client.write(frame);
    heldBack = undefined;
  };
  client.on('data', (chunk) => {
    for (const frame of requests.push(chunk)) {
      const isChosen = !isFirstRequest && xidOf(frame) > 0 && --plan.requestsLeft === 0;
      isFirstRequest = false;
      if (isChosen && plan.harm === 'request is lost') return breakOff();
      if (isChosen) chosenXid = xidOf(frame);
      server.write(frame);
    }
  });
  server.on('data', (chunk) => {
    for (const frame of replies.push(chunk)) {
      const isChosen = !isFirstReply && chosenXid !== undefined && xidOf(frame) === chosenXid;
      isFirstReply = false;
      if (isChosen) {
        if (plan.harm === 'reply is lost') return breakOff();
        plan.hasHarmed = true;
        chosenXid = undefined;
        if (plan.harm === 'reply is doubled') client.write(frame);
        else {
          heldBack = [];
          setTimeout(release, DELAY_MS);
        }
      }
      if (heldBack === undefined) client.write(frame);
      else heldBack.push(frame);
    }
  });
}

/** Forwards bytes in both directions. */
function relayBytes(client: Socket, server: Socket): void {
  client.on('data', (chunk) => server.write(chunk));
  server.on('data', (chunk) => client.write(chunk));
}

/** @param speaks 'frames' of clients, which harmAt counts, or bytes between servers */
export async function startProxy(
  targetPort: number,
  speaks: 'frames' | 'bytes' = 'frames',
): Promise<TestProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let isRefusing = false;
  let isStalled = false;
  let chunksFromClients = 0;
  const plan: HarmPlan = {
    requestsLeft: Number.POSITIVE_INFINITY,
    harm: 'reply is lost',
    hasHarmed: false,
  };
  const cut = (): void => {
    for (const [client, server] of pairs) {
      client.destroy();
      server.destroy();
    }
  };
  const proxy: Server = createServer((client) => {
    client.on('error', () => undefined);
    if (isRefusing) {
      client.destroy();
      return;
    }
    const server = connect({ host: '127.0.0.1', port: targetPort, noDelay: true });
    const pair = [client, server] as const;
    pairs.add(pair);
    client.setNoDelay(true);
    server.on('error', () => undefined);
    client.on('data', () => {
      chunksFromClients++;
    });
    if (speaks === 'frames') relay(client, server, plan);
    else relayBytes(client, server);
    if (isStalled) server.pause();
    client.on('end', () => server.end());
    server.on('end', () => client.end());
    client.on('close', () => {
      pairs.delete(pair);
      server.destroy();
    });
    server.on('close', () => client.destroySoon());
  });
  const port = await freePort();
  await new Promise<void>((resolve) => proxy.listen(port, '127.0.0.1', resolve));
  return {
    port,
    connectString: `127.0.0.1:${port}`,
    get chunksFromClients() {
      return chunksFromClients;
    },
    cut,
    refuse: () => {
      isRefusing = true;
      cut();
    },
    stall: () => {
      isStalled = true;
      for (const [, server] of pairs) server.pause();
    },
    mend: () => {
      isRefusing = false;
      isStalled = false;
      for (const [, server] of pairs) server.resume();
    },
    harmAt: (count, harm) => {
      Object.assign(plan, { requestsLeft: count, harm, hasHarmed: false });
    },
    get hasHarmed() {
      return plan.hasHarmed;
    },
    close: async () => {
      isRefusing = true;
      cut();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
