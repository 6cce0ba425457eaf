import { roleOf } from '../ensemble/member.js';
import type { MemberAddress } from '../ensemble/member-address.js';
import { tlsOf } from '../ensemble/member-tls.js';
import { resolveMembers, withNamedServers } from '../ensemble/members.js';
import type { OpsVerb } from '../ensemble/verb.js';
import { explainLimits } from '../ensemble/verdict/alarms.js';
import { discoverMembers, type Login } from '../ensemble/verdict/discover.js';
import type { LimitChange } from '../ensemble/verdict/limits.js';
import { readLimits } from '../ensemble/verdict/limits-file.js';
import type { Level, OpsResult } from '../ensemble/verdict/result.js';
import { type RunOptions, runVerb } from '../ensemble/verdict/run.js';
import { writeAtomically } from '../program/atomic-file.js';
import { usageError } from '../program/command-error.js';
import { counted } from '../program/counted.js';
import { VERDICT_STATUS } from '../program/exit-status.js';
import type { ShowOptions } from '../results/pairs.js';
import { finishedReport, namedColumns } from '../results/result.js';
import type { CliWorld } from './calls/cli-world.js';
import type { LiveSession } from './calls/live.js';
import type { ParsedOptions } from './calls/options.js';
import { refusalOf, refuseGuarded, withProfile } from './calls/profile.js';
import { asFault, earlierOf, keepState, loadState, underLock } from './cron.js';
import { topBy } from './verbs/load.js';
import { srst } from './verbs/resets.js';

/** @throws CommandError for a wrong call, CommandError for an error of the operating system */
export async function execute(
  verb: OpsVerb,
  typed: ParsedOptions,
  mask: string | undefined,
  world: CliWorld,
): Promise<number> {
  const options = await withProfile(typed, world.env);
  if (verb.isReset === true && options.yes !== true) {
    throw usageError(`${verb.name}: changes every member: add --yes to confirm`);
  }
  if (verb.isReset === true) refuseGuarded(verb.name, options);
  const limits = readLimits(options);
  if (options.explain === true) return explain(verb, limits, options, world);
  const listed = resolveMembers(await withNamedServers(options));
  const tls = await tlsOf(options, listed, world.keyPassphrase);
  const run: RunOptions = {
    ask: world.ask,
    askAdmin: world.askAdmin,
    askCertificate: world.askCertificate,
    now: world.now,
    timeoutMs: options.timeout,
    // The deadline is for the queries; the pause between two polls comes on top.
    deadlineMs: options.deadline + (options.interval ?? 0),
    confirmMs: options.confirm ?? 1000,
    limits,
    minServing: options['min-serving'],
    isForced: options.force === true,
    ...(mask === undefined ? {} : { argument: traceMask(mask) }),
    ...(tls === undefined ? {} : { tls }),
  };
  const members =
    options.discover === true && world.readConfig !== undefined
      ? await discoverMembers(listed, { ...run, login: await loginOf(options) }, world.readConfig)
      : listed;
  const result =
    verb.isLive === true && world.startLive !== undefined
      ? await world.startLive(liveSession(verb, members, run, options, world))
      : await runOnce(verb, members, run, options, world);
  return result === undefined
    ? VERDICT_STATUS.unknown
    : exitCodeOf(result.verdict.level, options['fail-on']);
}

async function explain(
  { name: verb }: OpsVerb,
  limits: readonly LimitChange[],
  { output, quiet }: ParsedOptions,
  { writeOut, terminal, now }: CliWorld,
): Promise<number> {
  const { renderReport } = await import('../results/report.js');
  const { keys, rows } = explainLimits(limits);
  const verdict = {
    level: 'healthy',
    summary: counted(rows.length, 'limit'),
    problems: [],
  } as const;
  const report = {
    ...finishedReport(namedColumns(...keys), rows, { verdict }),
    isPlain: true,
    isProse: true,
  };
  const show = { output, isQuiet: quiet === true, verb, time: now().toISOString() };
  for await (const piece of renderReport(report, show, terminal)) await writeOut(piece);
  return VERDICT_STATUS.healthy;
}

async function loginOf({ auth, 'sasl-file': saslFile }: ParsedOptions): Promise<Login> {
  if (saslFile === undefined) return { auth, sasl: undefined };
  const { readSaslFile } = await import('../connecting/auth-sources.js');
  return { auth, sasl: await readSaslFile(saslFile) };
}

async function runOnce(
  verb: OpsVerb,
  members: readonly MemberAddress[],
  run: RunOptions,
  options: ParsedOptions,
  world: CliWorld,
): Promise<OpsResult> {
  const result = await underLock(options, world.now(), async () => {
    const before = loadState(options, world);
    const found = await runVerb(verb, members, {
      ...run,
      intervalMs: options.interval,
      earlier: earlierOf(before),
    });
    return keepState(options, before, found);
  });
  const content = world.render(shownOf(result, options), showOf(options));
  const { out } = options;
  if (out === undefined) await world.writeOut(content);
  else asFault('--out', out, () => writeAtomically(out, content));
  return result;
}

function showOf({ output, all, keys, quiet, diff }: ParsedOptions): ShowOptions {
  const isDiff = diff === true ? { isDiff: true } : {};
  return { output, isAll: all === true, keys, isQuiet: quiet === true, ...isDiff };
}

/** --leader shows one row, but zkops asks and judges all members. */
function shownOf(result: OpsResult, { leader }: ParsedOptions): OpsResult {
  if (leader !== true) return result;
  return { ...result, members: result.members.filter((member) => roleOf(member) === 'leader') };
}

function liveSession(
  verb: OpsVerb,
  members: readonly MemberAddress[],
  run: RunOptions,
  options: ParsedOptions,
  world: CliWorld,
): LiveSession {
  const { interval = 3000, once, batch, count, sort, filter = '', output } = options;
  const by = options.by === 'member' ? undefined : options.by;
  const { isInteractive = false, width } = world.terminal;
  const isBatch = once === true || batch === true || output !== 'table' || !isInteractive;
  return {
    poll: ({ earlier, by: kind }, signal) => {
      const asked = kind === undefined ? verb : topBy(kind);
      return runVerb(asked, members, {
        ...run,
        earlier,
        ...(signal === undefined ? {} : { signal }),
      });
    },
    reset: async () => {
      const refusal = refusalOf(srst.name, options);
      if (refusal !== undefined) return refusal.message.split('\n', 1).join();
      const { members: results } = await runVerb(srst, members, run);
      const done = results.filter(({ state }) => state === 'answered').length;
      return `statistics reset on ${done} of ${results.length} members`;
    },
    print:
      output === 'table'
        ? undefined
        : (result) =>
            world.writeOut(world.render(result, { ...showOf(options), isAll: by !== undefined })),
    write: world.writeOut,
    outputEnded: world.outputEnded,
    intervalMs: interval,
    isBatch,
    by,
    count: once === true ? 1 : count,
    sort,
    filter,
    width,
  };
}

function traceMask(text: string): Buffer {
  const bytes = Buffer.alloc(8);
  try {
    bytes.writeBigInt64BE(BigInt(text));
  } catch {
    throw usageError(`mask: invalid number: "${text}" (expected a 64-bit integer)`);
  }
  return bytes;
}

/** `--fail-on crit` accepts a warning. Only `never` accepts an unknown verdict. */
export function exitCodeOf(level: Level, failOn: ParsedOptions['fail-on'] = 'warn'): number {
  if (failOn === 'never' || (failOn === 'crit' && level === 'warning')) return 0;
  return VERDICT_STATUS[level];
}
