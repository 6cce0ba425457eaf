import * as assert from 'uvu/assert';
import { askWord } from '../../../src/client/base/four-letter.js';
import { taskJson } from '../../commands/zkops/call-task.js';
import { runZkops } from '../terminal/run-zkops.js';
import { waitFor } from '../wait-for.js';
import { QUIET } from './ops-checks.js';

// The result of every zkops verb for members in one state, as lines. "srvr: 2 refused read-only"
// is the exit code and the state of each member. "gate: 2 no-quorum" is the exit code and the
// finding of a probe.

/** Verbs that judge the ensemble by the roles that members report. */
const JUDGED = [...['srvr', 'stat', 'mntr', 'health', 'quorum', 'check'], 'top --interval 50'];
/** Words that a server answers even if it serves no client. */
const ALIVE = ['ruok', 'envi', 'gtmk', 'stmk 306 --yes'];
/** Words that a server answers only while it serves. */
const SERVED = [
  ...['cons', 'conf', 'wchs', 'wchc', 'wchp', 'dump', 'dirs', 'hash'],
  ...['crst --yes', 'srst --yes'],
];
const PROBES = [
  ...['latency --count 3', 'smoke', 'gate', 'consistency', 'consistency --walk', 'drift'],
  ...['clients', 'watches', 'watches --by path', 'watches --by host'],
];
const MEASURED = ['mntr', 'health', 'quorum', 'check', 'top'];
const CONFIRMING = ['mntr', 'health', 'quorum', 'check'];

export interface Expected {
  readonly judged: string;
  /** The row of `srvr`, which asks for one word only; default as the others that judge. */
  readonly srvr?: string;
  readonly alive: string;
  readonly served: string;
  readonly isro: string;
  readonly probes: Readonly<Record<string, string>>;
}

/** The results for `count` members that all serve. A single member has nothing to compare with. */
export function serving(count: number): Expected {
  const all = (state: string) => ['0', ...Array.from({ length: count }, () => state)].join(' ');
  const says = PROBES.map((probe) => [
    probe,
    count === 1 && probe.startsWith('consistency') ? '3 no-walk' : '0',
  ]);
  return {
    judged: all('serving'),
    alive: all('answered'),
    served: all('answered'),
    isro: all('answered'),
    probes: Object.fromEntries(says),
  };
}

/** Runs every verb and probe until the results match. */
export async function expectTable(
  what: string,
  args: readonly string[],
  { judged, srvr = judged, alive, served, isro, probes }: Expected,
): Promise<void> {
  assert.equal(Object.keys(probes), PROBES, `${what}: every probe`);
  const expected = [
    ...JUDGED.map((verb) => `${verb}: ${verb === 'srvr' ? srvr : judged}`),
    ...ALIVE.map((verb) => `${verb}: ${alive}`),
    ...SERVED.map((verb) => `${verb}: ${served}`),
    `isro: ${isro}`,
    ...Object.entries(probes).map(([probe, says]) => `${probe}: ${says}`),
  ];
  let found: readonly string[] = [];
  const isFound = async () => {
    found = await linesOf(args);
    return found.join('\n') === expected.join('\n');
  };
  await waitFor(what, isFound, 60_000).catch(() => assert.equal(found, expected, what));
}

async function linesOf(args: readonly string[]): Promise<string[]> {
  const verbs = [...JUDGED, ...ALIVE, ...SERVED, 'isro'];
  return await Promise.all([
    ...verbs.map((verb) => verbLine(verb, args)),
    ...PROBES.map((probe) => probeLine(probe, args)),
  ]);
}

async function verbLine(verb: string, args: readonly string[]): Promise<string> {
  const words = verb.split(' ');
  const [name = ''] = words;
  const quiet = MEASURED.includes(name) ? QUIET : [];
  const confirm = CONFIRMING.includes(name) ? ['--confirm', '50'] : [];
  const { exitCode, result, error } = await runZkops([...words, ...args, ...quiet, ...confirm]);
  const states = result?.members.map(({ state }) => state) ?? [error];
  return `${verb}: ${exitCode} ${states.join(' ')}`;
}

async function probeLine(probe: string, args: readonly string[]): Promise<string> {
  const { exitCode, verdict } = await taskJson([...probe.split(' '), ...args], { ask: askWord });
  const codes = new Set(verdict.problems.map(({ code }) => code));
  // A machine under load is slow, so ignore findings about latency.
  const telling = [...codes].filter((code) => !code.startsWith('limit:'));
  return [`${probe}: ${exitCode}`, ...telling.sort()].join(' ');
}
