import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePorts } from '../sockets/free-ports.js';
import { checkLayoutOptions } from './check-options.js';

export interface EnsembleLayoutOptions {
  /** The number of voters. */
  readonly size: number;
  /** The number of further members, which do not vote. */
  readonly observers: number;
  /** Contains a folder for each server: 1, 2, … */
  readonly dir: string;
  /** The client port of the first server, the others follow; without it, free ports. */
  readonly basePort?: number;
}

/** One member of an ensemble before it starts. */
export interface SeatLayout {
  /** Its id, as in the file `myid`. */
  readonly sid: number;
  /** A participant votes. */
  readonly role: 'participant' | 'observer';
  /** Below `dir`; exists. */
  readonly dataDir: string;
  /** On 127.0.0.1, as the next two. */
  readonly clientPort: number;
  /** For the learners of a leader. */
  readonly quorumPort: number;
  /** For votes. */
  readonly electionPort: number;
  /** Lines of zoo.cfg that a user must not change. */
  readonly config: Readonly<Record<string, string>>;
}

/** Defaults that the user may override. */
export const ENSEMBLE_LIMITS = { initLimit: '10', syncLimit: '5' };

const HOST = '127.0.0.1';
/** Distance from client ports: 2181 to 2888 and 3888, as usual. */
const QUORUM_OFFSET = 707;
const ELECTION_OFFSET = 1707;

/**
 * The folders, ports, and zoo.cfg lines of an ensemble on this machine; starts nothing.
 * @example
 * const seats = await layOutEnsemble({ size: 3, observers: 0, dir: '/var/lib/ensemble' });
 * for (const { sid, dataDir, clientPort } of seats) console.log(sid, dataDir, clientPort);
 */
export async function layOutEnsemble(given: EnsembleLayoutOptions): Promise<SeatLayout[]> {
  const options = checkLayoutOptions(given);
  const { size, observers, dir } = options;
  const count = size + observers;
  const [clients, quorums, elections] = await portsFor(count, options.basePort);
  const sids = Array.from({ length: count }, (_, index) => index + 1);
  const roleOf = (sid: number) => (sid <= size ? 'participant' : 'observer');
  const servers = sids.map((sid): [string, string] => [
    `server.${sid}`,
    `${HOST}:${quorums[sid - 1]}:${elections[sid - 1]}:${roleOf(sid)};${HOST}:${clients[sid - 1]}`,
  ]);
  const places = Object.fromEntries(servers);
  const seats: SeatLayout[] = [];
  for (const sid of sids) {
    const dataDir = join(dir, `${sid}`);
    await mkdir(dataDir, { recursive: true });
    await writeFile(join(dataDir, 'myid'), `${sid}\n`);
    seats.push({
      sid,
      role: roleOf(sid),
      dataDir,
      clientPort: clients[sid - 1] ?? 0,
      quorumPort: quorums[sid - 1] ?? 0,
      electionPort: elections[sid - 1] ?? 0,
      config: { dataDir, standaloneEnabled: 'false', ...places },
    });
  }
  return seats;
}

async function portsFor(
  count: number,
  basePort: number | undefined,
): Promise<[number[], number[], number[]]> {
  if (basePort !== undefined) {
    const from = (first: number) => Array.from({ length: count }, (_, index) => first + index);
    return [from(basePort), from(basePort + QUORUM_OFFSET), from(basePort + ELECTION_OFFSET)];
  }
  const ports = await findFreePorts(count * 3, HOST);
  return [ports.slice(0, count), ports.slice(count, count * 2), ports.slice(count * 2)];
}
