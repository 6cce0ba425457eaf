/** Runs an ensemble on this machine, for development: one process per server. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ExitCode, SERVER_STATUS } from '../program/exit-status.js';
import type { Result } from '../results/result.js';
import { EnsembleMember, type MemberSpec } from './ensemble-member.js';
import { type EnsembleScreen, lineScreen } from './ensemble-screen.js';
import { type ServerVerb, verbError } from './verb.js';

const LOOK_EVERY_MS = 250;
const MAX_MEMBERS = 63;

export const ensemble: ServerVerb = {
  name: 'ensemble',
  summary: 'Run an ensemble on this machine, for development; Ctrl-C stops all servers',
  args: {},
  options: {
    size: {
      kind: 'integer',
      min: 1,
      max: MAX_MEMBERS,
      valueName: 'N',
      fallback: 3,
      summary: 'number of servers that vote',
    },
    observers: {
      kind: 'integer',
      min: 0,
      max: MAX_MEMBERS,
      valueName: 'N',
      fallback: 0,
      summary: 'number of observers',
    },
    dir: {
      kind: 'folder',
      valueName: 'DIR',
      summary: 'folder for configurations, data, and logs; by default a temporary one',
    },
    'base-port': {
      kind: 'integer',
      min: 0,
      max: 63_000,
      valueName: 'PORT',
      fallback: 2181,
      summary: 'first port for clients; 0 picks free ports',
    },
  },
  run: async (args, io) => {
    const { size = 3, observers = 0, 'base-port': basePort = 2181, dir: given } = args.options;
    const dir = given === undefined ? mkdtempSync(join(tmpdir(), 'zkserver-')) : resolve(given);
    const stop = waitForSignals();
    let screen = lineScreen(io);
    try {
      const specs = await prepare({ size, observers, basePort, dir });
      if (io.openScreen !== undefined) screen = await io.openScreen();
      const members = specs.map((spec) => new EnsembleMember(spec, args.properties));
      const connectString = specs.map(({ clientPort }) => `127.0.0.1:${clientPort}`).join(',');
      await watch(members, screen, stop, () => screen.writeOut(`${connectString}\n`));
      return await end(members, screen, stop);
    } finally {
      screen.close();
      if (given === undefined) rmSync(dir, { recursive: true, force: true });
    }
  },
};

interface Stop {
  /** By the first signal: stop in order. */
  readonly stop: AbortSignal;
  /** By the second signal: kill. */
  readonly kill: AbortSignal;
}

/** Ends at a signal, or when all servers have ended. */
async function watch(
  members: readonly EnsembleMember[],
  screen: EnsembleScreen,
  { stop }: Stop,
  onServing: () => void,
): Promise<void> {
  const reported = new Set<EnsembleMember>();
  let hasServed = false;
  while (!stop.aborted && members.some(({ isRunning }) => isRunning)) {
    await Promise.all(members.map((member) => member.poll()));
    if (stop.aborted) return;
    for (const member of members) {
      if (member.endReason === null || reported.has(member)) continue;
      reported.add(member);
      screen.print(
        `server ${member.spec.sid} ended (${member.endReason}); ${member.logFile} ends in:`,
      );
      screen.print(`  ${member.lastLogLine}`);
    }
    if (!hasServed && members.every(({ isServing, isRunning }) => isServing || !isRunning)) {
      hasServed = members.some(({ isServing }) => isServing);
      if (hasServed) onServing();
    }
    screen.show(members.map(({ shown }) => shown));
    await delay(LOOK_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
  }
}

/** Stops the leader last, to avoid elections. */
async function end(
  members: readonly EnsembleMember[],
  screen: EnsembleScreen,
  { kill }: Stop,
): Promise<Result> {
  if (members.every(({ endReason }) => endReason !== null)) {
    throw verbError(ExitCode.failed, 'all servers of the ensemble have ended');
  }
  kill.addEventListener('abort', () => {
    for (const member of members) member.kill();
  });
  const turnOf = ({ status: { state } }: EnsembleMember): number =>
    state === 'leader' ? 2 : state === 'follower' ? 1 : 0;
  for (const member of [...members].sort((a, b) => turnOf(a) - turnOf(b))) {
    await member.stop();
    screen.show(members.map(({ shown }) => shown));
  }
  return { kind: 'end' };
}

async function prepare(places: {
  size: number;
  observers: number;
  basePort: number;
  dir: string;
}): Promise<MemberSpec[]> {
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
    throw verbError(SERVER_STATUS.dataDir, `${why}`);
  }
}

function waitForSignals(): Stop {
  const [stop, kill] = [new AbortController(), new AbortController()];
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (stop.signal.aborted) kill.abort();
      stop.abort();
    });
  }
  return { stop: stop.signal, kill: kill.signal };
}
