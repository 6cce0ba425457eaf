import type { Attack } from './attack.js';
import type { Scene } from './scene.js';
import { FOLLOWING, type ForgedVote, LEADING, preamble, type Stranger, vote } from './wire.js';

const LAST_ROUND = 2n ** 63n - 1n;

/** Connects to the election port of `to` as server `as`. */
function pose(scene: Scene, to: number, as: number | bigint, ...frames: Buffer[]): Stranger {
  return scene.stranger(scene.seats.of(to).electionPort).send(preamble(as), ...frames);
}

/** Claims every member's id at every other member, for that time. */
async function poseAsAll(
  scene: Scene,
  ms: number,
  everyMs: number,
  forge: (as: number, turn: number) => readonly ForgedVote[],
): Promise<void> {
  let turn = 0;
  await scene.repeat(ms, everyMs, () => {
    turn++;
    for (const to of scene.sids) {
      for (const as of scene.sids) {
        if (as !== to) pose(scene, to, as, ...forge(as, turn).map(vote));
      }
    }
  });
}

/** The leader dies, the attack continues while the others elect, and the leader returns. */
async function duringElection(scene: Scene, attack: () => Promise<void>): Promise<void> {
  const leader = await scene.leader();
  await scene.kill(leader);
  await attack();
  scene.startMember(leader);
  await scene.allServe(20_000);
}

export const ELECTION_ATTACKS: readonly Attack[] = [
  {
    name: 'late-round',
    about: 'votes of members are forged in the last rounds that a server reads',
    run: async (scene) => {
      const forge = (leader: number, turn: number) => [
        { leader, round: turn % 2 === 0 ? LAST_ROUND : 2n ** 62n },
      ];
      await duringElection(scene, () => poseAsAll(scene, 1500, 50, forge));
    },
  },
  {
    name: 'posing-as-members',
    about: 'connections that claim the numbers of members take the place of theirs',
    run: async (scene) => {
      const before = scene.electionLinks();
      await poseAsAll(scene, 800, 20, () => []);
      const now = new Set(scene.electionLinks());
      const ended = before.filter((link) => !now.has(link));
      if (ended.length > 0) {
        const count = `${ended.length} of ${before.length}`;
        throw new Error(`${count} election connections between members were ended`);
      }
      const leader = await scene.leader();
      const posing = poseAsAll(scene, 3000, 10, () => []);
      await scene.kill(leader);
      await posing;
      scene.startMember(leader);
      await poseAsAll(scene, 500, 20, () => []);
    },
  },
  {
    name: 'false-votes',
    about: 'votes for servers that do not exist, for zxids and epochs at their ends, for dead ones',
    run: async (scene) => {
      const numbers = [-(2n ** 63n), -1n, 0n, 2n ** 31n, 2n ** 62n, LAST_ROUND];
      const forge = (as: number, turn: number): ForgedVote[] => [
        { leader: 99, zxid: numbers[turn % 6] ?? 0n, epoch: numbers[(turn + 2) % 6] ?? 0n },
        { leader: numbers[turn % 6] ?? 0n, state: LEADING },
        { leader: as, state: turn % 5, zxid: LAST_ROUND, epoch: 2n ** 31n + BigInt(turn) },
        { leader: as, state: FOLLOWING, round: numbers[turn % 6] ?? 0n, epoch: -1n },
      ];
      await duringElection(scene, () => poseAsAll(scene, 1000, 50, forge));
    },
  },
  {
    name: 'election-numbers',
    about: 'numbers of servers, lengths and versions at their ends, and halves of them',
    run: async (scene) => {
      const sids = [-(2n ** 63n), -2n, -1n, 0n, 77n, 255n, 2n ** 31n, 2n ** 53n, LAST_ROUND];
      for (const to of scene.sids) {
        const port = scene.seats.of(to).electionPort;
        for (const sid of sids) pose(scene, to, sid, vote({ leader: sid, round: LAST_ROUND }));
        for (const length of [-1, 0, 1, 512 * 1024 + 1, 0x7fff_ffff]) {
          const size = Buffer.alloc(4);
          size.writeInt32BE(length);
          pose(scene, to, 9, size, Buffer.alloc(64));
          scene.stranger(port).send(preamble(9).subarray(0, 16), size, Buffer.alloc(64, 'x'));
        }
        for (let end = 1; end < 20; end++) scene.stranger(port).send(preamble(9).subarray(0, end));
      }
      await scene.repeat(500, 100, () => undefined);
    },
  },
  {
    name: 'election-crowd',
    about: 'hundreds of connections to the election ports that say nothing, or never read',
    run: async (scene) => {
      for (const to of scene.sids) {
        const port = scene.seats.of(to).electionPort;
        for (let i = 0; i < 150; i++) scene.stranger(port);
        for (let sid = 100; sid < 150; sid++) scene.stranger(port, false).send(preamble(sid));
      }
      await duringElection(scene, () => scene.repeat(700, 100, () => undefined));
    },
  },
  {
    name: 'election-flood',
    about: 'notifications without a pause, of strangers and of members',
    run: async (scene) => {
      const frames = Buffer.concat(Array.from({ length: 500 }, () => vote({ leader: 9 })));
      await duringElection(scene, () =>
        scene.repeat(800, 50, () => {
          for (const to of scene.sids) {
            pose(scene, to, 9, frames);
            pose(scene, to, to === 3 ? 2 : 3, frames);
          }
        }),
      );
    },
  },
];
