import { connect, createServer, type Server, type Socket } from 'node:net';
import type { QuorumServerConfig } from '../../../../src/server/config/config-ensemble.js';
import {
  ElectionPort,
  type ElectionPortOptions,
} from '../../../../src/server/node/ports/election-port.js';
import { ByteBuilder } from '../../../support/bytes/byte-builder.js';
import { freePort } from '../../../support/machine/free-port.js';

/** The other end of a connection: received data, and functions that send. */
export class PeerSocket {
  readonly socket: Socket;
  received = Buffer.alloc(0);
  isClosed = false;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (bytes) => {
      this.received = Buffer.concat([this.received, bytes]);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.isClosed = true;
    });
  }

  /** The text of the frames after `skip` bytes. */
  frames(skip = 0): string[] {
    const frames: string[] = [];
    for (let at = skip; at + 4 <= this.received.length; ) {
      const end = at + 4 + this.received.readInt32BE(at);
      if (end > this.received.length) break;
      frames.push(this.received.toString('utf8', at + 4, end));
      at = end;
    }
    return frames;
  }

  sendFrame(text: string): void {
    this.socket.write(new ByteBuilder().string(text).build());
  }
}

export interface ElectionWorld {
  readonly port: ElectionPort;
  readonly members: readonly QuorumServerConfig[];
  /** "sid: frame", in order of arrival. */
  readonly notified: string[];
  readonly warnings: string[];
  /** The port of server `sid`, which a test opens with `listenAs`. */
  electionPortOf(sid: number): number;
  /**
   * Listens as server `sid`. The array gets its connections.
   * @param isHalfOpen it never closes its side
   */
  listenAs(sid: number, isHalfOpen?: boolean): Promise<PeerSocket[]>;
  /** Connects to the port. Identifies itself if `sid` is given. */
  connect(sid?: number): PeerSocket;
  close(): Promise<void>;
}

export function preambleOf(sid: number, electionPort: number): Buffer {
  const address = `127.0.0.1:${electionPort}`;
  return new ByteBuilder().long(-65536n).long(BigInt(sid)).string(address).build();
}

/** The election port of server `sid` among servers 1 to `size`. The test plays the others. */
export async function startElectionPort(
  sid: number,
  size: number,
  options: Partial<ElectionPortOptions> = {},
): Promise<ElectionWorld> {
  const members: QuorumServerConfig[] = [];
  for (let id = 1; id <= size; id++) {
    const address = { host: '127.0.0.1', quorumPort: 1, electionPort: await freePort() };
    const rest = { role: 'participant', client: null, secureClient: null } as const;
    members.push({ sid: id, addresses: [address], ...rest });
  }
  const electionPortOf = (id: number) =>
    members.find((member) => member.sid === id)?.addresses[0]?.electionPort ?? 0;
  const notified: string[] = [];
  const warnings: string[] = [];
  const servers: Server[] = [];
  const sockets: PeerSocket[] = [];
  const port = new ElectionPort({
    sid,
    connectTimeoutMs: 5000,
    greetingTimeoutMs: 5000,
    isEverywhere: false,
    isMultiAddress: false,
    isKeptAlive: false,
    bindTries: 1,
    step: (event) => {
      if (event.kind === 'notified') notified.push(`${event.sid}: ${event.frame}`);
    },
    onWarning: (message) => warnings.push(message),
    ...options,
  });
  await port.listen(members);
  return {
    port,
    members,
    notified,
    warnings,
    electionPortOf,
    listenAs: async (id, isHalfOpen = false) => {
      const accepted: PeerSocket[] = [];
      const server = createServer({ allowHalfOpen: isHalfOpen }, (socket) => {
        const peer = new PeerSocket(socket);
        accepted.push(peer);
        sockets.push(peer);
      });
      servers.push(server);
      await new Promise<void>((resolve) =>
        server.listen(electionPortOf(id), '127.0.0.1', () => resolve()),
      );
      return accepted;
    },
    connect: (id) => {
      const peer = new PeerSocket(connect(electionPortOf(sid), '127.0.0.1'));
      sockets.push(peer);
      if (id !== undefined) peer.socket.write(preambleOf(id, electionPortOf(id)));
      return peer;
    },
    close: async () => {
      port.close();
      for (const { socket } of sockets) socket.destroy();
      await Promise.all(
        servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))),
      );
    },
  };
}
