import { connect, createServer, type Server, type Socket } from 'node:net';
import type { QuorumServerConfig } from '../../../../src/server/config/config-ensemble.js';
import type { Event, QuorumEvent } from '../../../../src/server/events.js';
import {
  QuorumPort,
  type QuorumPortOptions,
} from '../../../../src/server/node/ports/quorum-port.js';
import { freePort } from '../../../support/machine/free-port.js';

export interface World {
  readonly port: QuorumPort;
  readonly portNumber: number;
  readonly events: QuorumEvent[];
  readonly warnings: string[];
  /** The events of one kind. */
  of<K extends QuorumEvent['kind']>(kind: K): Extract<QuorumEvent, { kind: K }>[];
  /** A connection to the port. */
  call(options?: { readonly allowHalfOpen: boolean }): {
    readonly socket: Socket;
    readonly received: () => Buffer;
    readonly isEnded: () => boolean;
  };
  /** A server that accepts outgoing connections of the port. */
  serve(): Promise<{ readonly port: number; readonly sockets: Socket[] }>;
}

export async function within(
  body: (world: World) => Promise<void>,
  options: Partial<QuorumPortOptions> = {},
): Promise<void> {
  const portNumber = await freePort();
  const events: QuorumEvent[] = [];
  const warnings: string[] = [];
  const sockets: Socket[] = [];
  const servers: Server[] = [];
  const port = new QuorumPort({
    sid: 1,
    greetingTimeoutMs: 60_000,
    isEverywhere: false,
    bindTries: 1,
    step: (event) => events.push(event as QuorumEvent),
    onWarning: (message) => warnings.push(message),
    ...options,
  });
  const address = { host: '127.0.0.1', quorumPort: portNumber, electionPort: 1 };
  const own: QuorumServerConfig = {
    sid: 1,
    addresses: [address],
    role: 'participant',
    client: null,
    secureClient: null,
  };
  await port.listen([own]);
  const world: World = {
    port,
    portNumber,
    events,
    warnings,
    of: (kind) => events.filter((event) => event.kind === kind) as never,
    call: (options) => {
      const socket = connect({ port: portNumber, host: '127.0.0.1', ...options });
      sockets.push(socket);
      let received = Buffer.alloc(0);
      let isEnded = false;
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => {
        received = Buffer.concat([received, bytes]);
      });
      socket.on('close', () => {
        isEnded = true;
      });
      return { socket, received: () => received, isEnded: () => isEnded };
    },
    serve: async () => {
      const accepted: Socket[] = [];
      const server = createServer((socket) => {
        accepted.push(socket);
        sockets.push(socket);
        socket.on('error', () => undefined);
      });
      servers.push(server);
      const listening = await freePort();
      await new Promise<void>((resolve) => server.listen(listening, '127.0.0.1', () => resolve()));
      return { port: listening, sockets: accepted };
    },
  };
  try {
    await body(world);
  } finally {
    port.close();
    for (const socket of sockets) socket.destroy();
    for (const server of servers) server.close();
  }
}

/** "limit value" of each report. */
export function limitsIn(events: readonly { readonly kind: string }[]): string[] {
  return (events as readonly Event[]).flatMap((event) =>
    event.kind === 'limit-exceeded' ? `${event.limit} ${event.value}` : [],
  );
}
