import type { TlsOptions } from '../../client/base/tls.js';
import { WORDS } from '../../fourlw/index.js';
import { type AskAdmin, leadsQuietly, monitorOf } from './admin.js';
import { type AskWord, askMember } from './ask.js';
import type { AskCertificate } from './certificate.js';
import { makeMember } from './make-member.js';
import type { Answer, Member } from './member.js';
import type { MemberAddress } from './member-address.js';
import type { OpsVerb } from './verb.js';

export interface AskOptions {
  readonly ask: AskWord;
  /** Asks only members whose AdminServer the list names. */
  readonly askAdmin?: AskAdmin | undefined;
  /** Asks only members over TLS, for verbs that measure. */
  readonly askCertificate?: AskCertificate | undefined;
  /** The timeout of one word of one member, from the connect to the last byte. */
  readonly timeoutMs: number;
  /** Also ask a server with many watches for costly answers. */
  readonly isForced?: boolean;
  /** The 8 bytes that stmk sends. */
  readonly argument?: Buffer;
  /** For members with zks://. */
  readonly tls?: TlsOptions;
}

/**
 * Asks one member all words of the verb at once, and its AdminServer for the words that it refuses.
 */
export async function askAll(
  verb: OpsVerb,
  address: MemberAddress,
  deadline: AbortSignal,
  options: AskOptions,
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
  const [certificateEndsMs, answers] = await Promise.all([
    verb.isMeasured === true && address.isSecure === true
      ? options.askCertificate?.(address, limit)
      : undefined,
    refusal === undefined
      ? Promise.all(verb.words.map((word) => askMember(options.ask, address, word, limit)))
      : [refusal],
  ]);
  const told = await askAdminToo(verb, address, answers, limit, options.askAdmin);
  const tookMs = performance.now() - startedAt;
  return makeMember(verb, address, told.answers, {
    tookMs,
    timeoutMs,
    ...(certificateEndsMs === undefined ? {} : { certificateEndsMs }),
    ...(told.isHiddenLeader ? { isHiddenLeader: true } : {}),
  });
}

/** The AdminServer replaces mntr, and says whether a member that serves nobody leads. */
async function askAdminToo(
  verb: OpsVerb,
  address: MemberAddress,
  answers: readonly Answer[],
  limit: Parameters<typeof askMember>[3],
  askAdmin: AskAdmin | undefined,
): Promise<{ readonly answers: readonly Answer[]; readonly isHiddenLeader: boolean }> {
  const none = { answers, isHiddenLeader: false };
  if (askAdmin === undefined || address.adminPort === undefined) return none;
  const isQuiet = answers.some((answer) => !answer.ok && answer.reason === 'not-serving');
  if (isQuiet && verb.judge === 'ensemble') {
    return { answers, isHiddenLeader: await leadsQuietly(askAdmin, address, limit) };
  }
  const at = verb.words.indexOf('mntr');
  const answer = answers[at];
  if (answer === undefined || answer.ok || answer.reason !== 'not-whitelisted') return none;
  const parsed = await monitorOf(askAdmin, address, limit);
  if (parsed === undefined) return none;
  const bytes = answer.bytes ?? Buffer.alloc(0);
  return {
    answers: answers.with(at, { ok: true, parsed, text: '', bytes }),
    isHiddenLeader: false,
  };
}

/** A server builds the answer to wchc and wchp as one text in memory: ZOOKEEPER-2693. */
const MAX_WATCHES = 100_000;

/** The refusal to ask a member for all its watches; undefined if it has few, or reports none. */
async function tooCostly(
  ask: AskWord,
  address: MemberAddress,
  limit: Parameters<typeof askMember>[3],
): Promise<Answer | undefined> {
  const answer = await askMember(ask, address, 'wchs', limit);
  const watches = answer.ok ? (WORDS.wchs.parse(answer.text).watches ?? 0) : 0;
  if (watches <= MAX_WATCHES) return undefined;
  return { ok: false, reason: 'too-costly', detail: `${watches} watches`, bytes: undefined };
}
