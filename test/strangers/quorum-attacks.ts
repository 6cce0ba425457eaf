import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CreateModes } from '../../src/protocol/create-mode.js';
import { Perms } from '../../src/protocol/perms.js';
import { ByteBuilder } from '../support/bytes/byte-builder.js';
import type { Attack } from './attack.js';
import type { Scene } from './scene.js';
import {
  ACK,
  ACKEPOCH,
  FOLLOWERINFO,
  learnerInfo,
  OBSERVERINFO,
  PING,
  PROPOSAL,
  packet,
  request,
  revalidate,
  type Stranger,
} from './wire.js';

const SET_DATA = 5;
const CLOSE_SESSION = -11;
const GUARDED = '/guarded';
const HELD = '/held';
/** The greatest epoch that a packet can carry. */
const LAST_EPOCH = 0x7fff_fffen;
const SUPER = [{ scheme: 'super', id: '' }];

async function atLeader(scene: Scene, ...packets: Buffer[]): Promise<Stranger> {
  const { quorumPort } = scene.seats.of(await scene.leader());
  return scene.stranger(quorumPort).send(...packets);
}

function atAll(scene: Scene, ...packets: Buffer[]): void {
  for (const { quorumPort } of scene.seats.all) scene.stranger(quorumPort).send(...packets);
}

export const QUORUM_ATTACKS: readonly Attack[] = [
  {
    name: 'write-as-super',
    about: 'a request with the rights of super comes to the leader without a handshake',
    run: async (scene) => {
      const client = await scene.client();
      scene.kept.set('writer', client);
      const acl = [{ perms: Perms.READ, id: { scheme: 'world', id: 'anyone' } }];
      if ((await client.exists(GUARDED)) === null) {
        await client.create(GUARDED, Buffer.from('own'), { acl });
      }
      const body = new ByteBuilder().string(GUARDED).buffer(Buffer.from('forged')).int(-1).build();
      const { sessionId } = client;
      const stranger = await atLeader(scene, revalidate(sessionId));
      await scene.repeat(300, 50, () => undefined);
      stranger.send(request(sessionId, SET_DATA, body, SUPER));
      await scene.repeat(700, 50, () => undefined);
    },
    damage: async (scene) => {
      const client = await scene.client();
      try {
        const { data } = await client.getData(GUARDED);
        return `${data}` === 'own' ? [] : [`${GUARDED} was overwritten with ${data}`];
      } finally {
        await client.close();
      }
    },
  },
  {
    name: 'end-of-a-session',
    about: 'the session of somebody else is closed without a handshake',
    run: async (scene) => {
      const [follower = 1] = await scene.followers();
      const victim = await scene.client(follower);
      scene.kept.set('victim', victim);
      await victim.create(HELD, null, { mode: CreateModes.EPHEMERAL });
      const { sessionId } = victim;
      const empty = Buffer.alloc(0);
      const stranger = await atLeader(scene, revalidate(sessionId));
      await scene.repeat(300, 50, () => undefined);
      stranger.send(request(sessionId, CLOSE_SESSION, empty, null));
      await scene.repeat(700, 50, () => undefined);
    },
    damage: async (scene) => {
      const client = await scene.client();
      try {
        const held = await client.exists(HELD);
        return held === null ? ['the victim lost its session, and its ephemeral with it'] : [];
      } finally {
        await client.close();
        await scene.kept.get('victim')?.close();
        scene.kept.delete('victim');
      }
    },
  },
  {
    name: 'posing-as-followers',
    about: 'FOLLOWERINFO with the numbers of followers takes the place of their links',
    run: async (scene) => {
      const followers = await scene.followers();
      const { quorumPort } = scene.seats.of(await scene.leader());
      const clients = await Promise.all(followers.map((sid) => scene.client(sid)));
      let written = 0;
      const attack = (ms: number) =>
        scene.repeat(ms, 10, () => {
          for (const sid of followers) {
            scene.stranger(quorumPort).send(learnerInfo(FOLLOWERINFO, sid, 0n));
          }
        });
      await attack(1000);
      for (const client of clients) {
        client.setData('/', Buffer.alloc(0)).then(
          () => written++,
          () => undefined,
        );
      }
      await attack(2000);
      await Promise.all(clients.map((client) => client.close().catch(() => undefined)));
      if (written < followers.length) throw new Error('a follower took no write meanwhile');
    },
  },
  {
    name: 'last-epoch',
    about: 'followers claim to have accepted the last epochs while a leader begins',
    run: async (scene) => {
      const leader = await scene.leader();
      await scene.kill(leader);
      await scene.repeat(1500, 20, () => {
        for (const sid of [77, ...scene.sids]) {
          atAll(scene, learnerInfo(FOLLOWERINFO, sid, LAST_EPOCH));
        }
      });
      scene.startMember(leader);
      await scene.allServe(15_000);
      await scene.restart(...scene.sids);
      await scene.allServe(15_000);
    },
    damage: async (scene) =>
      scene.seats.all.flatMap(({ sid, dataDir }) => {
        const file = join(dataDir, 'version-2', 'acceptedEpoch');
        const epoch = Number(readFileSync(file, 'latin1'));
        return epoch < 2 ** 21 ? [] : [`server ${sid} accepted epoch ${epoch}`];
      }),
  },
  {
    name: 'skipped-stages',
    about: 'packets of later stages come first, as members, strangers and observers',
    run: async (scene) => {
      const word = Buffer.alloc(4);
      const numbers = [-1n, 0n, 1n, 2n ** 32n, 2n ** 63n - 1n, -(2n ** 63n)];
      for (const zxid of numbers) {
        for (const type of [PROPOSAL, ACK, 4, PING, 7, 8, 10, 12, 13, 14, 15, 17, ACKEPOCH, 99]) {
          atAll(scene, packet(type, zxid, word));
        }
        for (const sid of [-1, 77, 2 ** 31]) {
          const hello = learnerInfo(OBSERVERINFO, sid, 0n);
          atAll(scene, hello, packet(ACK, zxid), packet(PING, zxid, Buffer.alloc(24, 255)));
          atAll(scene, hello, packet(ACKEPOCH, zxid, word), packet(ACK, zxid), hello);
        }
      }
      await scene.repeat(500, 50, () => undefined);
    },
  },
  {
    name: 'quorum-lengths',
    about: 'lengths and counts of packets at their ends, and halves of packets',
    run: async (scene) => {
      for (const length of [-2, -1, 0x0fff_ffff, 0x7fff_ffff, -0x8000_0000]) {
        const head = new ByteBuilder().int(FOLLOWERINFO).long(0n);
        atAll(scene, head.int(length).bytes(Buffer.alloc(100)).build());
        atAll(scene, new ByteBuilder().int(ACK).long(0n).int(-1).int(length).build());
        const data = new ByteBuilder().int(ACK).long(0n).int(-1).int(1).int(length);
        atAll(scene, data.bytes(Buffer.alloc(100)).build());
      }
      const whole = learnerInfo(FOLLOWERINFO, 77, 0n);
      for (let end = 1; end < whole.length; end += 3) atAll(scene, whole.subarray(0, end));
      await scene.repeat(500, 50, () => undefined);
    },
  },
  {
    name: 'quorum-crowd',
    about: 'hundreds of links to the leader that say nothing, and observers that never read',
    run: async (scene) => {
      const { quorumPort } = scene.seats.of(await scene.leader());
      for (let i = 0; i < 200; i++) scene.stranger(quorumPort);
      for (let i = 0; i < 30; i++) {
        const hello = learnerInfo(OBSERVERINFO, -1, 0n);
        scene.stranger(quorumPort, false).send(hello, packet(ACKEPOCH, 0n, Buffer.alloc(4)));
      }
      await scene.repeat(800, 50, () => undefined);
    },
  },
];
