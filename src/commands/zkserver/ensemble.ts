/** Runs an ensemble on this machine, for development: one process per server. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { wholeNumber } from '../program/command-line.js';
import { EnsembleMember, type MemberSeat } from './ensemble-member.js';
import { type EnsembleScreen, lineScreen } from './ensemble-screen.js';
import { Exit, type ServerVerb, VerbError } from './verb.js';

const LOOK_EVERY_MS = 250;
const MAX_MEMBERS = 63;

export const ensemble: ServerVerb = {
  name: 'ensemble',
  summary: 'Run an ensemble on this machine, for development; Ctrl-C stops all servers',
  args: [],
  options: [
    ['--size <n>', 'number of servers that vote', wholeNumber(1, MAX_MEMBERS), 3],
    ['--observers <n>', 'number of observers', wholeNumber(0, MAX_MEMBERS), 0],
    ['--dir <dir>', 'folder for configurations, data, and logs; by default a temporary one'],
    [
      '--base-port <port>',
      'first port for clients; 0 picks free ports',
      wholeNumber(0, 63_000),
      2181,
    ],
  ],
  run: async (args, io) => {
    const { size = 3, observers = 0, basePort = 2181, dir: asked } = args.options;
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
  /** By the first signal: stop in order. */
  readonly asked: AbortSignal;
  /** By the second signal: kill. */
  readonly insisted: AbortSignal;
}

/** Ends at a signal, or when all servers have ended. */
async function watch(
  members: readonly EnsembleMember[],
  screen: EnsembleScreen,
  { asked }: Stop,
  onServing: () => void,
): Promise<void> {
  const reported = new Set<EnsembleMember>();
  let hasServed = false;
  while (!asked.aborted && members.some(({ isRunning }) => isRunning)) {
    await Promise.all(members.map((member) => member.look()));
    if (asked.aborted) return;
    for (const member of members) {
      if (member.death === null || reported.has(member)) continue;
      reported.add(member);
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

/** Stops the leader last, to avoid elections. */
async function end(
  members: readonly EnsembleMember[],
  screen: EnsembleScreen,
  { insisted }: Stop,
): Promise<number> {
  if (members.every(({ death }) => death !== null)) {
    throw new VerbError(Exit.FAILED, 'zkserver: all servers of the ensemble have ended');
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
