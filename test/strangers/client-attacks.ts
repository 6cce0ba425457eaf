import type { SessionClient } from '../../src/client/base/client.js';
import { ByteBuilder } from '../support/bytes/byte-builder.js';
import { waitFor } from '../support/wait-for.js';
import type { Attack } from './attack.js';
import type { Scene } from './scene.js';
import { clientHello } from './wire.js';

const LONGS = [-(2n ** 63n), -1n, 0n, 1n, 2n ** 62n, 2n ** 63n - 1n];
const INTS = [-0x8000_0000, -1, 0, 1, 0x7fff_ffff];
const GET_DATA = 4;
const GET_CHILDREN = 8;
const MULTI_READ = 22;
const ALL_CHILDREN = 104;
const PARENT = '/strangers-parent';
const CHILDREN = 5000;
const BATCH = 250;
const LARGE = '/strangers-large';
const LARGE_SIZE = 900_000;
/** Bytes of the answers to several thousand counts. */
const MANY_ANSWERS = 150_000;

/** The frame of a read. */
export function getData(xid: number, path: string): Buffer {
  const frame = new ByteBuilder().int(xid).int(GET_DATA).string(path).bool(false).build();
  return new ByteBuilder().buffer(frame).build();
}

function ofPath(xid: number, type: number, path: string): Buffer {
  return new ByteBuilder()
    .buffer(new ByteBuilder().int(xid).int(type).string(path).build())
    .build();
}

function multiRead(xid: number, type: number, path: string, count: number): Buffer {
  const frame = new ByteBuilder().int(xid).int(MULTI_READ);
  for (let i = 0; i < count; i++) frame.int(type).bool(false).int(-1).string(path).bool(false);
  return new ByteBuilder().buffer(frame.int(-1).bool(true).int(-1).build()).build();
}

async function fillParent(client: SessionClient): Promise<void> {
  await client.create(PARENT);
  await client.create(LARGE, Buffer.alloc(LARGE_SIZE));
  for (let made = 0; made < CHILDREN; made += BATCH) {
    const create = (_: unknown, i: number) => client.create(`${PARENT}/${made + i}`);
    await Promise.all(Array.from({ length: BATCH }, create));
  }
}

async function withClient(
  scene: Scene,
  action: (client: SessionClient) => Promise<unknown>,
): Promise<void> {
  const client = await scene.client();
  try {
    await action(client);
  } finally {
    await client.close();
  }
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
    name: 'client-large-reads',
    about: 'clients ask for a large znode again and again, and never read',
    run: async (scene) => {
      await withClient(scene, (client) => client.create(LARGE, Buffer.alloc(LARGE_SIZE)));
      for (const { clientPort } of scene.seats.all) {
        // Below the limit of unread bytes of a connection, and far above it.
        for (const count of [40, 1500]) {
          const asked = Array.from({ length: count }, (_, i) => getData(i, LARGE));
          scene.stranger(clientPort, false).send(clientHello(0n, 6000, 0n), ...asked);
        }
      }
      await scene.repeat(1000, 50, () => undefined);
    },
    damage: async (scene) => {
      await withClient(scene, (client) => client.delete(LARGE));
      return [];
    },
  },
  {
    name: 'client-dear-answers',
    about:
      'cheap requests whose answers are dear: counts and lists of many children, large multiReads',
    run: async (scene) => {
      await withClient(scene, fillParent);
      for (const { clientPort } of scene.seats.all) {
        const hello = clientHello(0n, 6000, 0n);
        for (let i = 0; i < 8; i++) {
          const asked = Array.from({ length: 2500 }, (_, xid) => ofPath(xid, ALL_CHILDREN, PARENT));
          scene.stranger(clientPort).send(hello, ...asked);
        }
        scene.stranger(clientPort).send(hello, multiRead(1, GET_DATA, LARGE, 4400));
        scene.stranger(clientPort).send(hello, multiRead(1, GET_CHILDREN, PARENT, 4400));
      }
      const enough = scene.answeredBytes + MANY_ANSWERS;
      await waitFor('the answers', () => scene.answeredBytes > enough, 50_000);
    },
    damage: async (scene) => {
      await withClient(scene, async (client) => {
        for (const name of await client.getChildren(PARENT).then(({ children }) => children)) {
          await client.delete(`${PARENT}/${name}`);
        }
        await client.delete(PARENT);
        await client.delete(LARGE);
      });
      return [];
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
