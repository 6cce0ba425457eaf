import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { InputArchive } from '../../../src/jute/input-archive.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { readOps } from '../../../src/server/prep/read-ops.js';
import { FrameSplitter } from '../bytes/zk-frames.js';

/** Length, xid, and type. */
const HEADER_SIZE = 12;

/** A relay to a server that notes the types of requests, also of those in multis. */
export async function startRequestTap(
  port: number,
): Promise<{ readonly port: number; readonly types: ReadonlySet<number>; close(): Promise<void> }> {
  const types = new Set<number>();
  const sockets = new Set<Socket>();
  const note = (frame: Buffer): void => {
    const type = frame.readInt32BE(8);
    types.add(type);
    if (type !== OpCode.multi) return;
    for (const op of readOps(new InputArchive(frame, HEADER_SIZE, frame.length)) ?? []) {
      types.add(op.type);
    }
  };
  const relay = createServer((client) => {
    const server = connect(port, '127.0.0.1');
    const requests = new FrameSplitter();
    let isFirst = true;
    client.on('data', (chunk) => {
      server.write(chunk);
      for (const frame of requests.push(chunk)) {
        if (!isFirst) note(frame);
        isFirst = false;
      }
    });
    server.pipe(client);
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => other.destroy());
    }
  });
  await once(relay.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (relay.address() as AddressInfo).port,
    types,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      relay.close();
      await once(relay, 'close');
    },
  };
}
