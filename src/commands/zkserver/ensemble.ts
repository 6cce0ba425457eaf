/** A whole ensemble on this machine, for development: each member a process of its own. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EnsembleMember, type MemberSeat } from './ensemble-member.js';
import { type EnsembleScreen, lineScreen } from './ensemble-screen.js';
import { Exit, type ServerVerb, usageError, type VerbArguments, VerbError } from './verb.js';

const LOOK_EVERY_MS = 250;
const MAX_MEMBERS = 63;
const DEFAULT_BASE_PORT = 2181;
/** The ports between the servers lie this far above those for clients. */
const MAX_BASE_PORT = 63_000;

export const ensemble: ServerVerb = {
  name: 'ensemble',
  usage: 'ensemble [--size N] [--observers N] [--dir DIR] [--base-port PORT] [-D name=value]...',
  summary: 'serve as a whole ensemble on this machine, for development; Ctrl-C stops all of it',
  options: {
    '--size': { hasValue: true },
    '--observers': { hasValue: true },
    '--dir': { hasValue: true },
    '--base-port': { hasValue: true },
  },
  run: async (args, io) => {
    if (args.operands.length > 0) throw usageError('ensemble expects options only');
    const size = numberOf(args, '--size', 3, 1, MAX_MEMBERS);
    const observers = numberOf(args, '--observers', 0, 0, MAX_MEMBERS);
    const basePort = numberOf(args, '--base-port', DEFAULT_BASE_PORT, 0, MAX_BASE_PORT);
    const asked = args.options.get('--dir');
    const dir = asked === undefined ? mkdtempSync(join(tmpdir(), 'zkserver-')) : resolve(asked);
    const stop = waitForSignals();
    let screen = lineScreen(io);
    try {
      const seats = await prepare({ size, observers, basePort, dir });
      if (io.openScreen !== undefined) screen = await io.openScreen();
      const members = seats.map((seat) => new EnsembleMember(seat, args.properties));
      const connectString = seats.map(({ clientPort }) => `127.0.0.1:${clientPort}`).join(',');
      await watch(members, screen, stop, () => screen.tell(`${connectString}\n`));
      return await end(members, screen, stop);
    } finally {
      screen.close();
      if (asked === undefined) rmSync(dir, { recursive: true, force: true });
    }
  },
};

interface Stop {
  /** Aborted by the first signal. */
  readonly asked: AbortSignal;
  /** By the second one. */
  readonly insisted: AbortSignal;
}

/** Shows what they are until a signal comes, or none of them is left. */
async function watch(
  members: readonly EnsembleMember[],
  screen: EnsembleScreen,
  { asked }: Stop,
  onServing: () => void,
): Promise<void> {
  const mourned = new Set<EnsembleMember>();
  let hasServed = false;
  while (!asked.aborted && members.some(({ isRunning }) => isRunning)) {
    await Promise.all(members.map((member) => member.look()));
    if (asked.aborted) return;
    for (const member of members) {
      if (member.death === null || mourned.has(member)) continue;
      mourned.add(member);
      screen.say(`server ${member.seat.sid} ended (${member.death}); ${member.logFile} ends in:`);
      screen.say(`  ${member.lastWords}`);
    }
    if (!hasServed && members.every(({ isServing, isRunning }) => isServing || !isRunning)) {
      hasServed = members.some(({ isServing }) => isServing);
      if (hasServed) onServing();
    }
    screen.show(members.map(({ shown }) => shown));
    await delay(LOOK_EVERY_MS, undefined, { signal: asked }).catch(() => undefined);
  }
}

/** The leader last, so that nobody elects another meanwhile. */
async function end(
  members: readonly EnsembleMember[],
  screen: EnsembleScreen,
  { insisted }: Stop,
): Promise<number> {
  if (members.every(({ death }) => death !== null)) {
    throw new VerbError(Exit.FAILED, 'zkserver: no server of the ensemble is left');
  }
  insisted.addEventListener('abort', () => {
    for (const member of members) member.kill();
  });
  const turnOf = ({ status: { state } }: EnsembleMember): number =>
    state === 'leader' ? 2 : state === 'follower' ? 1 : 0;
  for (const member of [...members].sort((a, b) => turnOf(a) - turnOf(b))) {
    await member.stop();
    screen.show(members.map(({ shown }) => shown));
  }
  return Exit.OK;
}

async function prepare(places: {
  size: number;
  observers: number;
  basePort: number;
  dir: string;
}): Promise<MemberSeat[]> {
  const { layOutEnsemble, ENSEMBLE_LIMITS } = await import('../../server/main.js');
  const { basePort, ...rest } = places;
  try {
    mkdirSync(places.dir, { recursive: true });
    const layouts = await layOutEnsemble(basePort === 0 ? rest : { ...rest, basePort });
    return layouts.map(({ sid, role, dataDir, clientPort, config }) => {
      const configFile = join(dataDir, 'zoo.cfg');
      const usual = { 'admin.enableServer': 'false', '4lw.commands.whitelist': '*' };
      const lines = Object.entries({ ...usual, ...ENSEMBLE_LIMITS, ...config });
      writeFileSync(configFile, lines.map(([key, value]) => `${key}=${value}\n`).join(''));
      return { sid, role, clientPort, configFile, folder: dataDir };
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new VerbError(Exit.DATA_DIR, `zkserver: ${why}`);
  }
}

function numberOf(
  { options }: VerbArguments,
  name: string,
  usual: number,
  min: number,
  max: number,
): number {
  const text = options.get(name);
  if (text === undefined) return usual;
  const number = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  if (number >= min && number <= max) return number;
  throw usageError(`expected ${name} from ${min} to ${max}, found "${text}"`);
}

function waitForSignals(): Stop {
  const [asked, insisted] = [new AbortController(), new AbortController()];
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (asked.signal.aborted) insisted.abort();
      asked.abort();
    });
  }
  return { asked: asked.signal, insisted: insisted.signal };
}
