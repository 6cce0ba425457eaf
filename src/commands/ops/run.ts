import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { formatServerAddress, type ServerAddress } from '../../client/connect-string.js';
import type { TlsOptions } from '../../client/tls.js';
import { WORDS, type WordName } from '../../fourlw/index.js';
import { type AskWord, askMember } from './ask.js';
import type { Answer, Fault, Member, MemberState } from './member.js';
import { describeFault } from './reasons.js';
import type { OpsResult } from './result.js';
import { statusOf } from './status.js';
import type { OpsVerb } from './verb.js';
import { judge } from './verdict.js';

export interface RunOptions {
  readonly ask: AskWord;
  /** For one word of one member, from the connect to the last byte. */
  readonly timeoutMs: number;
  /** For the whole run; who has not answered then is a row that says timeout. */
  readonly deadlineMs: number;
  /** How long after a critical look a confirming verb looks again. */
  readonly confirmMs: number;
  /** Ask what is costly of a server with many watches too. */
  readonly isForced?: boolean;
  /** The 8 bytes that stmk sends. */
  readonly argument?: Buffer;
  /** For the members that are reached over TLS. */
  readonly tls?: TlsOptions;
  readonly now: () => Date;
}

/** Asks all members at once and judges what they said. Never throws for what a member does. */
export async function runVerb(
  verb: OpsVerb,
  servers: readonly ServerAddress[],
  options: RunOptions,
): Promise<OpsResult> {
  const time = options.now().toISOString();
  const cutOff = new AbortController();
  setMaxListeners(0, cutOff.signal);
  const timer = setTimeout(() => cutOff.abort(), options.deadlineMs);
  const look = async (): Promise<OpsResult> => {
    const members = await Promise.all(
      servers.map((address) => askAll(verb, address, cutOff.signal, options)),
    );
    return { verb, time, members, verdict: judge(verb, members) };
  };
  try {
    const first = await look();
    if (verb.isConfirmed !== true || first.verdict.level !== 'critical') return first;
    // An election takes a moment, and a leader cut off from its followers notices only after
    // syncLimit: what is gone at a second look is no emergency.
    await delay(options.confirmMs, undefined, { signal: cutOff.signal }).catch(() => undefined);
    return cutOff.signal.aborted ? first : await look();
  } finally {
    clearTimeout(timer);
  }
}

async function askAll(
  verb: OpsVerb,
  address: ServerAddress,
  deadline: AbortSignal,
  options: RunOptions,
): Promise<Member> {
  const { timeoutMs, argument, tls } = options;
  const startedAt = performance.now();
  const limit = {
    timeoutMs,
    deadline,
    ...(argument === undefined ? {} : { argument }),
    ...(tls === undefined ? {} : { tls }),
  };
  const refusal =
    verb.isCostly === true && options.isForced !== true
      ? await tooCostly(options.ask, address, limit)
      : undefined;
  const answers =
    refusal === undefined
      ? await Promise.all(verb.words.map((word) => askMember(options.ask, address, word, limit)))
      : [refusal];
  const tookMs = performance.now() - startedAt;
  return makeMember(verb, address, answers, { tookMs, timeoutMs });
}

/** A server builds the answer to wchc and wchp as one text in memory: ZOOKEEPER-2693. */
const MAX_WATCHES = 100_000;

/** The refusal to ask a member for all its watches; undefined when it has few, or will not tell. */
async function tooCostly(
  ask: AskWord,
  address: ServerAddress,
  limit: Parameters<typeof askMember>[3],
): Promise<Answer | undefined> {
  const answer = await askMember(ask, address, 'wchs', limit);
  const watches = answer.ok ? (WORDS.wchs.parse(answer.text).watches ?? 0) : 0;
  if (watches <= MAX_WATCHES) return undefined;
  return { ok: false, reason: 'too-costly', detail: `${watches} watches`, bytes: undefined };
}

/** Turns the answers of one member, in the order of the verb's words, into its row. */
export function makeMember(
  verb: OpsVerb,
  address: ServerAddress,
  answers: readonly Answer[],
  times: { readonly tookMs: number; readonly timeoutMs: number },
): Member {
  const server = formatServerAddress(address);
  const failures: { readonly word: WordName; readonly answer: Answer & { ok: false } }[] = [];
  const byWord: Partial<Record<WordName, Answer>> = {};
  for (const [index, word] of verb.words.entries()) {
    const answer = answers[index];
    if (answer === undefined) continue;
    byWord[word] = answer;
    if (!answer.ok) failures.push({ word, answer });
  }
  const refused = failures.filter(({ answer }) => answer.reason === 'not-whitelisted');
  const faults = failures.map(({ word, answer }) =>
    describeFault(answer.reason, {
      server,
      host: address.host,
      word,
      timeoutMs: times.timeoutMs,
      detail: answer.detail,
      words: refused.map((failure) => failure.word),
    }),
  );
  const base = { server, address, tookMs: times.tookMs, answers: byWord };
  return { ...base, ...stateOf(verb, { ...base, ...GOOD }, faults) };
}

const GOOD = { state: 'answered', fault: undefined, note: undefined } as const;

/**
 * One word that answered is enough for a row that is well; the others are a note below the table.
 * Without any the worst is told: what a network says comes before a refusal in words.
 */
function stateOf(
  verb: OpsVerb,
  member: Member,
  faults: readonly Fault[],
): Pick<Member, 'state' | 'fault' | 'note'> {
  const hasAnswer = Object.values(member.answers).some((answer) => answer.ok);
  const polite: readonly string[] = ['not-whitelisted', 'not-serving'];
  const first = faults.find(({ reason }) => !polite.includes(reason)) ?? faults.at(-1);
  if (first !== undefined && !hasAnswer) {
    return { state: first.reason, fault: first, note: undefined };
  }
  const note = first;
  const isReadOnly = statusOf(member).isReadOnly || readOnlyAnswer(member);
  if (isReadOnly) {
    const context = { server: member.server, host: '', word: '', timeoutMs: 0, detail: '' };
    const fault = describeFault('read-only', { ...context, words: [] });
    return { state: 'read-only', fault, note };
  }
  const state: MemberState = verb.judge === 'ensemble' ? 'serving' : 'answered';
  return { state, fault: undefined, note };
}

function readOnlyAnswer({ answers }: Member): boolean {
  const answer = answers.isro;
  return answer?.ok === true && answer.text.trim() === 'ro';
}
