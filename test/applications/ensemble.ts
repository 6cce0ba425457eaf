/** Three members that an application uses while they are killed and restarted. */
import { askWord } from '../../src/client/base/four-letter.js';
import {
  type Member,
  makeSeats,
  type Seat,
  waitUntilServing,
} from '../support/apache/oracle-ensemble.js';
import { waitFor } from '../support/wait-for.js';

/** In a mixed ensemble, each restart of a member takes the other server. */
export const KINDS = ['zkserver', 'apache', 'mixed'] as const;
export type Kind = (typeof KINDS)[number];

const SIZE = 3;
const LEADER_MS = 60_000;

export interface Ensemble {
  /** All members. */
  readonly connectString: string;
  readonly ports: readonly number[];
  /** Kills the leader with SIGKILL, waits for another leader, and restarts the member. */
  killLeader(): Promise<void>;
  /** Stops each member and starts it again, the leader last, with `afterEach`. */
  roll(afterEach: () => Promise<void>): Promise<void>;
  /** The last output of the members. */
  output(): string;
  close(): Promise<void>;
}

export async function startEnsemble(kind: Kind): Promise<Ensemble> {
  const seats = await makeSeats({
    participants: SIZE,
    config: { tickTime: 1000, initLimit: 10, syncLimit: 5 },
  });
  const members = new Map<number, Member>();
  const starts = new Map<number, number>();
  const start = (sid: number): void => {
    const count = starts.get(sid) ?? 0;
    starts.set(sid, count + 1);
    const isOurs = kind === 'zkserver' || (kind === 'mixed' && (sid + count) % 2 === 1);
    members.set(sid, isOurs ? seats.startBundled(sid) : seats.startApache(sid));
  };
  const restart = async (seat: Seat): Promise<void> => {
    start(seat.sid);
    await waitUntilServing(seat);
  };
  const leader = (): Promise<Seat> => waitFor('a leader', () => firstLeader(seats.all), LEADER_MS);
  try {
    for (const { sid } of seats.all) start(sid);
    await Promise.all(seats.all.map(waitUntilServing));
  } catch (error) {
    await seats.close();
    throw error;
  }
  return {
    connectString: seats.all.map(({ connectString }) => connectString).join(),
    ports: seats.all.map(({ clientPort }) => clientPort),
    killLeader: async () => {
      const killed = await leader();
      await members.get(killed.sid)?.stop('SIGKILL');
      await leader();
      await restart(killed);
    },
    roll: async (afterEach) => {
      const { sid: last } = await leader();
      const order = seats.all.toSorted((a, b) => Number(a.sid === last) - Number(b.sid === last));
      for (const seat of order) {
        await members.get(seat.sid)?.stop();
        await restart(seat);
        await afterEach();
      }
    },
    output: () =>
      [...members.values()]
        .map((member) => member.output().split('\n').slice(-30).join('\n'))
        .join('\n--\n'),
    close: seats.close,
  };
}

async function firstLeader(seats: readonly Seat[]): Promise<Seat | undefined> {
  for (const seat of seats) {
    const address = { host: '127.0.0.1', port: seat.clientPort };
    const answer = await askWord(address, 'srvr').catch(() => '');
    if (answer.includes('Mode: leader')) return seat;
  }
  return undefined;
}
