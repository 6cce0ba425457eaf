import { askWord } from '../../../src/client/base/four-letter.js';
import { type Member, makeSeats, waitUntilServing } from '../apache/oracle-ensemble.js';

/** An ensemble of three servers, which can lose one. */
export interface Quorum {
  /** All members. */
  readonly connectString: string;
  /**
   * Kills the leader with SIGKILL. Resolves with its connect string when the process has ended.
   */
  killLeader(): Promise<string>;
  /** Ends all servers and removes their folder. */
  close(): Promise<void>;
}

/** Starts three server processes and waits until all serve. */
export async function startQuorum(kind: 'Apache' | 'bundled'): Promise<Quorum> {
  const seats = await makeSeats({
    participants: 3,
    config: { tickTime: 2000, initLimit: 10, syncLimit: 5 },
  });
  const start = kind === 'Apache' ? seats.startApache : seats.startBundled;
  const members: Member[] = [];
  try {
    members.push(...seats.all.map(({ sid }) => start(sid)));
    await Promise.all(seats.all.map(waitUntilServing));
  } catch (error) {
    const outputs = members.map((member) => member.output());
    await seats.close();
    throw new Error(outputs.join('\n'), { cause: error });
  }
  return {
    connectString: seats.all.map(({ connectString }) => connectString).join(),
    close: seats.close,
    killLeader: async () => {
      for (const member of members) {
        const { clientPort: port, connectString } = member.seat;
        const answer = await askWord({ host: '127.0.0.1', port }, 'srvr').catch(() => '');
        if (!answer.includes('Mode: leader')) continue;
        await member.stop('SIGKILL');
        return connectString;
      }
      throw new Error('no member leads');
    },
  };
}
