/** A whole ensemble in this process, for tests: real servers, real connections, free ports. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServerReport } from '../log/logger.js';
import { ExitCode, ServerError } from '../storage/errors.js';
import { checkEnsembleOptions } from './check-options.js';
import { ENSEMBLE_LIMITS, layOutEnsemble, type SeatLayout } from './lay-out-ensemble.js';
import type { ServerControl } from './server-control.js';
import { type RunningServer, startServer } from './start-server.js';

export interface StartEnsembleOptions {
  /** Number of participants. Default: 3. */
  readonly size?: number;
  /** Number of observers. Default: 0. */
  readonly observers?: number;
  /** Contains a folder for each server. Default: a temporary one, which `close` deletes. */
  readonly dir?: string;
  /** The client port of the first server, the others follow. Default: free ports. */
  readonly basePort?: number;
  /** Lines of every zoo.cfg, by name. */
  readonly config?: Readonly<Record<string, string>>;
  /** Additional lines of the zoo.cfg of one server. */
  readonly configOf?: (sid: number) => Readonly<Record<string, string>>;
  /** Whether to wait until this server serves. Default: true. */
  readonly isWaitedFor?: (sid: number) => boolean;
  /** Called with each warning of a server, a sentence. */
  readonly onWarning?: (message: string, sid: number) => void;
  /** Called with each report of a server, for a log. */
  readonly onReport?: (report: ServerReport, sid: number) => void;
  /** Called with the reason when a server had to stop. */
  readonly onFatal?: (error: ServerError, sid: number) => void;
}

/** A server of an ensemble. */
export interface EnsembleMember {
  /** Its N in server.N, from 1. */
  readonly sid: number;
  /** An observer has no vote. */
  readonly role: 'participant' | 'observer';
  /** For clients. */
  readonly port: number;
  /** For followers of a leader. */
  readonly quorumPort: number;
  /** For votes. */
  readonly electionPort: number;
  /** Names only this server. */
  readonly connectString: string;
  /** It outlives close(), for the next start(). */
  readonly dataDir: string;
  /** Undefined while it is closed or has no leader. */
  readonly mode: RunningServer['mode'];
  /** Its faults, for tests of applications; undefined while it is closed. */
  readonly control: ServerControl | undefined;
  /** Closes this server in order; the others continue, while they are a majority. */
  close(): Promise<void>;
  /** Restarts it on its data; resolves when it accepts connections. */
  start(): Promise<void>;
}

/** The servers of startEnsemble. */
export interface RunningEnsemble {
  /** "127.0.0.1:2181,127.0.0.1:2182,127.0.0.1:2183" */
  readonly connectString: string;
  /** By sid, observers last. */
  readonly members: readonly EnsembleMember[];
  /** Closes the leader and returns it, or undefined. The others elect a new one if they can. */
  loseLeader(): Promise<EnsembleMember | undefined>;
  /**
   * Closes members, the leader first, until a minority is left, and returns them. With
   * `readonlymode.enabled=true`, the rest becomes read-only.
   */
  loseQuorum(): Promise<readonly EnsembleMember[]>;
  /** Resolves when every open member serves. */
  untilServing(): Promise<void>;
  /** Closes all servers, and deletes a temporary folder. */
  close(): Promise<void>;
  /** close(), for `await using ensemble = …`. */
  [Symbol.asyncDispose](): Promise<void>;
}

const START_TIMEOUT_MS = 60_000;
const LOOK_EVERY_MS = 5;
/** Long enough for servers in one process. */
const TEST_TICK = { tickTime: '500' };

/**
 * Starts the servers and resolves when all of them serve.
 * @example
 * await using ensemble = await startEnsemble({ size: 3 });
 * const client = createClient({ connectString: ensemble.connectString });
 * await ensemble.loseLeader();
 * @throws ServerError ECONFIG, EBIND …, as startServer does; EQUORUM when they elect no leader
 */
export async function startEnsemble(given: StartEnsembleOptions = {}): Promise<RunningEnsemble> {
  const options = checkEnsembleOptions(given);
  const { size = 3, observers = 0, basePort, isWaitedFor = () => true } = options;
  if (!(Number.isInteger(size) && size > 0 && Number.isInteger(observers) && observers >= 0)) {
    const found = `${size} and ${observers}`;
    const message = `size and observers: ${found} (expected at least one participant, and whole numbers)`;
    throw new ServerError('ECONFIG', ExitCode.USAGE, message);
  }
  const temporary = options.dir === undefined ? await mkdtemp(join(tmpdir(), 'zksh-')) : null;
  const dir = options.dir ?? temporary ?? '';
  const places = basePort === undefined ? {} : { basePort };
  const seats = await layOutEnsemble({ size, observers, dir, ...places });
  const members = seats.map((seat) => new Member(seat, options));
  const close = async (): Promise<void> => {
    await Promise.all(members.map((member) => member.close()));
    if (temporary !== null) await rm(temporary, { recursive: true, force: true });
  };
  const ensemble: RunningEnsemble = {
    connectString: members.map(({ connectString }) => connectString).join(','),
    members,
    loseLeader: async () => {
      const leader = members.find(({ mode }) => mode === 'leader');
      await leader?.close();
      return leader;
    },
    loseQuorum: () => loseQuorum(members),
    untilServing: () => untilServing(members.filter(({ sid }) => isWaitedFor(sid))),
    close,
    [Symbol.asyncDispose]: close,
  };
  try {
    await Promise.all(members.map((member) => member.start()));
    await ensemble.untilServing();
    return ensemble;
  } catch (error) {
    await ensemble.close();
    throw error;
  }
}

async function loseQuorum(members: readonly Member[]): Promise<readonly EnsembleMember[]> {
  const voters = members.filter(({ role }) => role === 'participant');
  const open = voters.filter(({ isRunning }) => isRunning);
  const [leaders, others] = [true, false].map((isLeader) =>
    open.filter(({ mode }) => (mode === 'leader') === isLeader),
  );
  const count = Math.max(open.length - Math.floor(voters.length / 2), 0);
  const closed = [...(leaders ?? []), ...(others ?? [])].slice(0, count);
  await Promise.all(closed.map((member) => member.close()));
  return closed;
}

async function untilServing(members: readonly Member[]): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    const waiting = members.filter(({ isRunning, mode }) => isRunning && mode === undefined);
    if (waiting.length === 0) return;
    if (performance.now() > deadline) {
      const sids = waiting.map(({ sid }) => sid).join(', ');
      const message = `ensemble: no leader within ${START_TIMEOUT_MS} ms: servers ${sids}. Read their warnings`;
      throw new ServerError('EQUORUM', ExitCode.UNEXPECTED, message);
    }
    await delay(LOOK_EVERY_MS);
  }
}

class Member implements EnsembleMember {
  private readonly seat: SeatLayout;
  private readonly options: StartEnsembleOptions;
  private server: RunningServer | null = null;

  constructor(seat: SeatLayout, options: StartEnsembleOptions) {
    this.seat = seat;
    this.options = options;
  }

  get sid(): number {
    return this.seat.sid;
  }

  get role(): EnsembleMember['role'] {
    return this.seat.role;
  }

  get port(): number {
    return this.server?.port ?? this.seat.clientPort;
  }

  get quorumPort(): number {
    return this.seat.quorumPort;
  }

  get electionPort(): number {
    return this.seat.electionPort;
  }

  get connectString(): string {
    return this.server?.connectString ?? `127.0.0.1:${this.seat.clientPort}`;
  }

  get dataDir(): string {
    return this.seat.dataDir;
  }

  get isRunning(): boolean {
    return this.server !== null;
  }

  get mode(): RunningServer['mode'] {
    return this.server?.mode;
  }

  get control(): ServerControl | undefined {
    return this.server?.control;
  }

  async start(): Promise<void> {
    if (this.server !== null) return;
    const { sid, seat } = this;
    const { config, configOf, onWarning, onReport, onFatal } = this.options;
    this.server = await startServer({
      config: {
        ...TEST_TICK,
        ...ENSEMBLE_LIMITS,
        ...config,
        ...configOf?.(sid),
        ...seat.config,
      },
      onWarning: (message) => onWarning?.(message, sid),
      onReport: (report) => onReport?.(report, sid),
      onFatal: (error) => {
        this.server = null;
        onFatal?.(error, sid);
      },
    });
  }

  async close(): Promise<void> {
    const { server } = this;
    this.server = null;
    await server?.close();
  }
}
