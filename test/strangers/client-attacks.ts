import { ByteBuilder } from '../support/byte-builder.js';
import type { Attack } from './attack.js';
import { clientHello } from './wire.js';

const LONGS = [-(2n ** 63n), -1n, 0n, 1n, 2n ** 62n, 2n ** 63n - 1n];
const INTS = [-0x8000_0000, -1, 0, 1, 0x7fff_ffff];
const GET_DATA = 4;

function getData(xid: number, path: string): Buffer {
  const frame = new ByteBuilder().int(xid).int(GET_DATA).string(path).bool(false).build();
  return new ByteBuilder().buffer(frame).build();
}

export const CLIENT_ATTACKS: readonly Attack[] = [
  {
    name: 'client-numbers',
    about: 'sessions of others without their passwords; zxids, timeouts and lengths at their ends',
    run: async (scene) => {
      for (const { clientPort } of scene.seats.all) {
        for (const id of LONGS) {
          for (const timeoutMs of INTS) {
            scene.stranger(clientPort).send(clientHello(id, timeoutMs, 0n));
          }
          scene.stranger(clientPort).send(clientHello(0n, 6000, id));
        }
        for (const length of INTS) {
          const size = new ByteBuilder().int(length).bytes(Buffer.alloc(40)).build();
          scene.stranger(clientPort).send(size);
          scene.stranger(clientPort).send(clientHello(0n, 6000, 0n), size);
        }
      }
      await scene.repeat(500, 50, () => undefined);
    },
  },
  {
    name: 'client-crowd',
    about: 'hundreds of connections of clients that say nothing, or half a frame',
    run: async (scene) => {
      const hello = clientHello(0n, 6000, 0n);
      for (const { clientPort } of scene.seats.all) {
        for (let i = 0; i < 150; i++) scene.stranger(clientPort).send(hello.subarray(0, i % 40));
      }
      await scene.repeat(1000, 50, () => undefined);
    },
  },
  {
    name: 'client-never-reads',
    about: 'clients ask for data again and again, and never read',
    run: async (scene) => {
      const asked = Array.from({ length: 2000 }, (_, i) => getData(i, '/'));
      for (const { clientPort } of scene.seats.all) {
        for (let i = 0; i < 5; i++) {
          scene.stranger(clientPort, false).send(clientHello(0n, 6000, 0n), ...asked);
        }
      }
      await scene.repeat(1000, 50, () => undefined);
    },
  },
  {
    name: 'admin-crowd',
    about: 'hundreds of requests to the AdminServers that never end',
    run: async (scene) => {
      for (const port of scene.adminPorts.values()) {
        for (let i = 0; i < 100; i++) scene.stranger(port).send(Buffer.from('GET /commands/s'));
        const request =
          'POST /commands/restore HTTP/1.1\r\nHost: a\r\nContent-Length: 999999\r\n\r\n';
        for (let i = 0; i < 50; i++) scene.stranger(port).send(Buffer.from(request));
        for (let i = 0; i < 50; i++) scene.stranger(port);
      }
      await scene.repeat(1000, 50, () => undefined);
    },
  },
];
