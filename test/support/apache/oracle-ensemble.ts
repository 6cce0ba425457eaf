import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runZkserver } from '../bundled.js';
import { freePort } from '../machine/free-port.js';
import { makeTempDir } from '../machine/temp-dir.js';
import { type WatchedProcess, watchProcess } from '../machine/watched-process.js';
import { waitFor } from '../wait-for.js';
import { isServing, JETTY_JARS, NETTY_JARS, spawnJava } from './oracle.js';

export type MemberRole = 'participant' | 'observer';

/** A seat of an ensemble on the loopback interface, for either server. */
export interface Seat {
  readonly sid: number;
  readonly role: MemberRole;
  readonly clientPort: number;
  readonly quorumPort: number;
  readonly electionPort: number;
  /** The folder of the member, with its data. */
  readonly home: string;
  readonly dataDir: string;
  /** The configuration, already written. */
  readonly configFile: string;
  readonly connectString: string;
}

/** A process in a seat. */
export interface Member {
  readonly seat: Seat;
  /** The log lines so far. */
  output(): string;
  pid(): number;
  /** Resolves when the process has ended. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface Seats {
  readonly all: readonly Seat[];
  /** @throws Error if there is no such seat */
  of(sid: number): Seat;
  /** The lines "server.1=…" of all seats, as in the configuration. */
  readonly serverLines: readonly string[];
  /** Starts Apache's server in that seat. Does not wait until it serves. */
  startApache(sid: number, properties?: Readonly<Record<string, string>>): Member;
  /** Starts the bundled server in that seat. */
  startBundled(sid: number, properties?: Readonly<Record<string, string>>): Member;
  /** Stops the members that still run, and removes the folders. */
  close(): Promise<void>;
}

export interface SeatsOptions {
  readonly participants: number;
  readonly observers?: number;
  /**
   * The number of members at the start. The others know them and may join by reconfig. The client
   * ports are then in the server lines.
   */
  readonly initial?: number;
  /** Each member has its own loopback address for the other servers: 127.0.0.1, 127.0.0.2 … */
  readonly areHostsApart?: boolean;
  /** Further lines of each zoo.cfg. */
  readonly config?: Readonly<Record<string, string | number | boolean>>;
}

/** Prepares an ensemble: ports, folders with myid, configurations. */
export async function makeSeats(options: SeatsOptions): Promise<Seats> {
  const home = makeTempDir('ensemble');
  const seats: Seat[] = [];
  const { participants, observers = 0, initial, areHostsApart = false } = options;
  for (let sid = 1; sid <= participants + observers; sid++) {
    const clientPort = await freePort();
    const folder = join(home.path, `${sid}`);
    seats.push({
      sid,
      role: sid <= participants ? 'participant' : 'observer',
      clientPort,
      quorumPort: await freePort(),
      electionPort: await freePort(),
      home: folder,
      dataDir: join(folder, 'data'),
      configFile: join(folder, 'zoo.cfg'),
      connectString: `127.0.0.1:${clientPort}`,
    });
  }
  const serverLines = seats.map(
    ({ sid, quorumPort, electionPort, role, connectString }) =>
      `server.${sid}=127.0.0.${areHostsApart ? sid : 1}:${quorumPort}:${electionPort}:${role}${initial === undefined ? '' : `;${connectString}`}`,
  );
  for (const seat of seats) {
    const isKnown = ({ sid }: Seat) => sid === seat.sid || sid <= (initial ?? seats.length);
    const known = serverLines.filter((_, i) => isKnown(seats[i] as Seat));
    writeSeat(seat, known, options);
  }
  const running = new Set<Member>();
  const of = (sid: number): Seat => {
    const seat = seats.find((candidate) => candidate.sid === sid);
    if (seat === undefined) throw new Error(`seat ${sid} does not exist`);
    return seat;
  };
  const started = (member: Member): Member => {
    running.add(member);
    return member;
  };
  return {
    all: seats,
    of,
    serverLines,
    startApache: (sid, properties) => started(startApache(of(sid), properties)),
    startBundled: (sid, properties) => started(startBundled(of(sid), properties)),
    close: async () => {
      await Promise.all([...running].map((member) => member.stop('SIGKILL')));
      home.remove();
    },
  };
}

function writeSeat(
  seat: Seat,
  serverLines: readonly string[],
  { initial, config }: SeatsOptions,
): void {
  mkdirSync(seat.dataDir, { recursive: true });
  writeFileSync(join(seat.dataDir, 'myid'), `${seat.sid}\n`);
  const options = {
    dataDir: seat.dataDir,
    ...(initial === undefined
      ? { clientPort: seat.clientPort, clientPortAddress: '127.0.0.1' }
      : {}),
    tickTime: 500,
    initLimit: 20,
    syncLimit: 10,
    maxClientCnxns: 0,
    'admin.enableServer': false,
    '4lw.commands.whitelist': '*',
    ...(seat.role === 'observer' ? { peerType: 'observer' } : {}),
    ...config,
  };
  const lines = Object.entries(options).map(([key, value]) => `${key}=${value}`);
  writeFileSync(seat.configFile, `${[...lines, ...serverLines].join('\n')}\n`);
}

function startBundled(seat: Seat, properties: Readonly<Record<string, string>> = {}): Member {
  const flags = Object.entries(properties).flatMap(([key, value]) => ['-D', `${key}=${value}`]);
  return memberIn(seat, runZkserver(['start-foreground', seat.configFile, ...flags]));
}

function startApache(seat: Seat, properties?: Readonly<Record<string, string>>): Member {
  return memberIn(seat, runApacheMember(seat.configFile, properties));
}

export function runApacheMember(
  configFile: string,
  properties?: Readonly<Record<string, string>>,
): WatchedProcess {
  const args = ['org.apache.zookeeper.server.quorum.QuorumPeerMain', configFile];
  return watchProcess(spawnJava(args, properties, [...NETTY_JARS, ...JETTY_JARS]));
}

/** A process for the seat. */
export function memberIn(seat: Seat, { process: child, output, stop }: WatchedProcess): Member {
  return {
    seat,
    output,
    pid: () => child.pid ?? 0,
    stop: async (signal) => {
      await stop(signal);
    },
  };
}

/** Waits until the member in that seat leads, follows, or observes. */
export async function waitUntilServing(seat: Seat): Promise<void> {
  const what = `server ${seat.sid} on port ${seat.clientPort}`;
  await waitFor(what, () => isServing(seat.clientPort), 60_000);
}
