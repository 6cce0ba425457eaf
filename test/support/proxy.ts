import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from './free-port.js';
import { FrameSplitter, xidOf } from './zk-frames.js';

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
   * Breaks the connection that carries the `count`th request from now on, once. It drops either
   * the reply ('reply') or the request ('request'). Pings and the requests of a reconnect do not
   * count.
   */
  cutAt(count: number, when: 'reply' | 'request'): void;
  /** Whether cutAt has broken its connection. */
  readonly hasCut: boolean;
  close(): Promise<void>;
}

/** The cut that cutAt requested, counted over all connections. */
interface CutPlan {
  requestsLeft: number;
  when: 'reply' | 'request';
  hasCut: boolean;
}

/** Forwards frames in both directions until the plan breaks the connection. */
function relay(client: Socket, server: Socket, plan: CutPlan): void {
  const breakOff = (): void => {
    plan.hasCut = true;
    plan.requestsLeft = Number.POSITIVE_INFINITY;
    client.destroy();
    server.destroy();
  };
  const [requests, replies] = [new FrameSplitter(), new FrameSplitter()];
  let [isFirstRequest, isFirstReply] = [true, true];
  let fatalXid: number | undefined;
  client.on('data', (chunk) => {
    for (const frame of requests.push(chunk)) {
      const isCounted = !isFirstRequest && xidOf(frame) > 0 && --plan.requestsLeft === 0;
      isFirstRequest = false;
      if (isCounted && plan.when === 'request') return breakOff();
      if (isCounted) fatalXid = xidOf(frame);
      server.write(frame);
    }
  });
  server.on('data', (chunk) => {
    for (const frame of replies.push(chunk)) {
      const isFatal = !isFirstReply && fatalXid !== undefined && xidOf(frame) === fatalXid;
      if (isFatal) return breakOff();
      isFirstReply = false;
      client.write(frame);
    }
  });
}

/** Forwards bytes in both directions. */
function relayBytes(client: Socket, server: Socket): void {
  client.on('data', (chunk) => server.write(chunk));
  server.on('data', (chunk) => client.write(chunk));
}

/** @param speaks 'frames' of clients, which cutAt counts, or bytes between servers */
export async function startProxy(
  targetPort: number,
  speaks: 'frames' | 'bytes' = 'frames',
): Promise<TestProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let isRefusing = false;
  let isStalled = false;
  let chunksFromClients = 0;
  const plan: CutPlan = { requestsLeft: Number.POSITIVE_INFINITY, when: 'reply', hasCut: false };
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
    cutAt: (count, when) => {
      Object.assign(plan, { requestsLeft: count, when, hasCut: false });
    },
    get hasCut() {
      return plan.hasCut;
    },
    close: async () => {
      isRefusing = true;
      cut();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
