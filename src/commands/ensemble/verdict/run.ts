import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type AskOptions, askAll } from '../ask-all.js';
import type { Member } from '../member.js';
import type { MemberAddress } from '../member-address.js';
import { ratesOf } from '../rates.js';
import type { Sample } from '../sample.js';
import type { OpsVerb } from '../verb.js';
import { findAlarms } from './alarms.js';
import type { LimitChange } from './limits.js';
import { sampleOf, samplesOf } from './measure.js';
import type { OpsResult } from './result.js';
import { judge } from './verdict.js';

export interface RunOptions extends AskOptions {
  /** For the whole run; a member that has not answered by then gets a row with a timeout. */
  readonly deadlineMs: number;
  /** The pause before the second poll that confirms a critical verdict. */
  readonly confirmMs: number;
  /** Two polls, this far apart, give rates. */
  readonly intervalMs?: number | undefined;
  readonly limits?: readonly LimitChange[];
  readonly minServing?: number | undefined;
  /** The values of an earlier run, by the name of the member. */
  readonly earlier?: ReadonlyMap<string, Sample>;
  readonly signal?: AbortSignal;
  readonly now: () => Date;
}

/** Asks all members at once and judges their answers. Never throws because of a member. */
export async function runVerb(
  verb: OpsVerb,
  servers: readonly MemberAddress[],
  options: RunOptions,
): Promise<OpsResult> {
  const time = options.now().toISOString();
  const cutOff = new AbortController();
  setMaxListeners(0, cutOff.signal);
  const end = (): void => cutOff.abort();
  const timer = setTimeout(end, options.deadlineMs);
  options.signal?.addEventListener('abort', end);
  const pause = (ms: number) =>
    delay(ms, undefined, { signal: cutOff.signal }).catch(() => undefined);
  let { earlier = new Map() } = options;
  const asking = { ...options, hasGroups: needsGroups(verb, servers) };
  const poll = async (): Promise<OpsResult> => {
    const answered = await Promise.all(
      servers.map((address) => askAll(verb, address, cutOff.signal, asking)),
    );
    const timeMs = options.now().getTime();
    const members = answered.map((member) => withRates(member, timeMs, earlier));
    const context = { members, timeMs, earlier };
    const alarms = verb.isMeasured === true ? findAlarms(context, options.limits ?? []) : [];
    const verdict = judge(verb, members, { alarms, minServing: options.minServing });
    return { verb, time, timeMs, members, verdict };
  };
  /** Keeps the earlier poll if the deadline cut the new one short. */
  const lookAgain = async (before: OpsResult): Promise<OpsResult> => {
    const again = cutOff.signal.aborted ? before : await poll();
    return cutOff.signal.aborted ? before : again;
  };
  try {
    let result = await poll();
    if (options.intervalMs !== undefined) {
      earlier = samplesOf(result.members, result.timeMs);
      await pause(options.intervalMs);
      result = await lookAgain(result);
    }
    if (verb.isConfirmed !== true || !needsSecondPoll(result)) return result;
    // An election takes a moment, and a leader without followers notices only after syncLimit.
    // Members are not asked at the same instant, which may look like a lag. So critical needs two
    // polls.
    await pause(options.confirmMs);
    return await lookAgain(result);
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', end);
  }
}

/** A quorum of groups cannot be judged without them; one server by one word has no quorum. */
function needsGroups({ judge, words }: OpsVerb, servers: readonly MemberAddress[]): boolean {
  const isQuorum = judge === 'ensemble' && (words.length > 1 || servers.length > 1);
  return isQuorum && !words.includes('conf');
}

const TRANSIENT: readonly string[] = [
  'limit:lag',
  'not-in-sync',
  'quorum-unknown',
  'leader-hidden',
  'leader-not-listed',
];

function needsSecondPoll({ verdict }: OpsResult): boolean {
  return verdict.problems.some(
    ({ level, code }) => level === 'critical' || TRANSIENT.includes(code),
  );
}

function withRates(member: Member, timeMs: number, earlier: ReadonlyMap<string, Sample>): Member {
  const rates = ratesOf(sampleOf(member, timeMs), earlier.get(member.server));
  return rates === undefined ? member : { ...member, rates };
}
