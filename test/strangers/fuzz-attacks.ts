import { ByteBuilder } from '../support/bytes/byte-builder.js';
import { Random } from '../support/random.js';
import type { Attack } from './attack.js';
import {
  ACK,
  ACKEPOCH,
  FOLLOWERINFO,
  learnerInfo,
  OBSERVERINFO,
  packet,
  preamble,
  REQUEST,
  REVALIDATE,
  vote,
} from './wire.js';

const ENDS = [0n, 1n, -1n, 3n, 255n, 2n ** 31n - 1n, 2n ** 31n, 2n ** 62n, 2n ** 63n - 1n];

/** Packets with extreme numbers; some are cut, doubled, or have flipped bits. */
function damaged(random: Random, bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  if (random.oneIn(3)) copy[random.below(copy.length)] = random.below(256);
  if (random.oneIn(5)) return copy.subarray(0, 1 + random.below(copy.length));
  return random.oneIn(8) ? Buffer.concat([copy, copy]) : copy;
}

function electionBytes(random: Random): Buffer {
  const forge = () => {
    const leader = random.oneIn(3) ? random.pick(ENDS) : 1 + random.below(3);
    const [zxid, round, epoch] = [random.pick(ENDS), random.pick(ENDS), random.pick(ENDS)];
    return vote({ state: random.below(5), leader, zxid, round, epoch });
  };
  const sid = random.oneIn(3) ? random.pick(ENDS) : 1 + random.below(3);
  const frames = Array.from({ length: random.below(4) }, () => damaged(random, forge()));
  return Buffer.concat([damaged(random, preamble(sid)), ...frames]);
}

function quorumBytes(random: Random): Buffer {
  const type = random.pick([FOLLOWERINFO, OBSERVERINFO]);
  const sid = random.oneIn(2) ? random.pick([-1n, 77n, 2n ** 31n]) : random.pick(ENDS);
  const hello = learnerInfo(type, sid, random.pick(ENDS));
  const next = () => {
    const data = new ByteBuilder().long(random.pick(ENDS)).long(random.pick(ENDS)).build();
    const any = random.pick([ACK, ACKEPOCH, REQUEST, REVALIDATE, random.below(25)]);
    return packet(any, random.pick(ENDS), random.oneIn(3) ? null : data);
  };
  const rest = Array.from({ length: random.below(5) }, () => damaged(random, next()));
  return Buffer.concat([random.oneIn(4) ? Buffer.alloc(0) : damaged(random, hello), ...rest]);
}

function blindBytes(random: Random): Buffer {
  return Buffer.from(Array.from({ length: 1 + random.below(200) }, () => random.below(256)));
}

/** @param count number of inputs, spread over the members */
export function fuzzAttacks(seed: number, count: number): readonly Attack[] {
  const fuzz = (
    name: string,
    about: string,
    make: (random: Random) => Buffer,
    ports: readonly ('electionPort' | 'quorumPort' | 'clientPort')[],
  ): Attack => ({
    name,
    about: `${about} (seed ${seed})`,
    run: async (scene) => {
      const random = new Random(seed);
      // Limits connections a second, so that the members have time for each.
      for (let done = 0; done < count; ) {
        for (const seat of scene.seats.all) {
          for (const port of ports) scene.stranger(seat[port]).send(make(random));
        }
        done += 3 * ports.length;
        if (done % 60 < 3 * ports.length) {
          await scene.repeat(100, 50, () => undefined);
          scene.dismiss();
        }
      }
    },
  });
  return [
    fuzz('fuzz-election', 'random election packets', electionBytes, ['electionPort']),
    fuzz('fuzz-quorum', 'random quorum packets', quorumBytes, ['quorumPort']),
    fuzz('fuzz-blind', 'random bytes', blindBytes, ['electionPort', 'quorumPort', 'clientPort']),
  ];
}
