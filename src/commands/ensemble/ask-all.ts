import type { TlsOptions } from '../../client/base/tls.js';
import { WORDS } from '../../fourlw/index.js';
import { type AskAdmin, leadsWithoutServing, monitorOf } from './admin.js';
import { type AskWord, askMember } from './ask.js';
import type { AskCertificate } from './certificate.js';
import { isOfGroups } from './grouped.js';
import { makeMember } from './make-member.js';
import type { Answer, Member } from './member.js';
import type { MemberAddress } from './member-address.js';
import type { OpsVerb } from './verb.js';

export interface AskOptions {
  readonly ask: AskWord;
  readonly askAdmin?: AskAdmin | undefined;
  /** For members over TLS, and verbs that measure. */
  readonly askCertificate?: AskCertificate | undefined;
  /** For each word of each member, from the connect to the last byte. */
  readonly timeoutMs: number;
  /** Asks for costly answers even if the server has many watches. */
  readonly isForced?: boolean;
  /** Asks for the groups of the ensemble, too. */
  readonly hasGroups?: boolean;
  readonly argument?: Buffer;
  /** For members with zks://. */
  readonly tls?: TlsOptions;
}

/** Asks one member all words of the verb at once, and its AdminServer if it refuses some. */
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
  const askCertificate =
    verb.isMeasured === true && address.isSecure === true ? options.askCertificate : undefined;
  const asked = options.hasGroups === true ? askGroups(options.ask, address, limit) : undefined;
  const [certificateEndsMs, answers] = await Promise.all([
    askCertificate?.(address, limit),
    refusal === undefined
      ? Promise.all(verb.words.map((word) => askMember(options.ask, address, word, limit)))
      : [refusal],
  ]);
  const admin = await askAdminToo(verb, address, answers, limit, options.askAdmin);
  const tookMs = performance.now() - startedAt;
  const groups = await asked;
  return makeMember(verb, address, admin.answers, {
    tookMs,
    timeoutMs,
    ...(groups === undefined ? {} : { groups }),
    ...(certificateEndsMs === undefined ? {} : { certificateEndsMs }),
    ...(askCertificate !== undefined &&
    certificateEndsMs === undefined &&
    answers.some(({ ok }) => ok)
      ? { isCertificateUnknown: true }
      : {}),
    ...(admin.isHiddenLeader ? { isHiddenLeader: true } : {}),
  });
}

/** Undefined without groups, so that a verb that does not ask conf shows nothing of it. */
async function askGroups(
  ask: AskWord,
  address: MemberAddress,
  limit: Parameters<typeof askMember>[3],
): Promise<Answer | undefined> {
  const answer = await askMember(ask, address, 'conf', limit);
  if (!answer.ok) return undefined;
  // The groups of a list may be older than what the member says.
  if (address.seat !== undefined) return answer;
  return Object.keys(WORDS.conf.parse(answer.text).values).some(isOfGroups) ? answer : undefined;
}

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
    return { answers, isHiddenLeader: await leadsWithoutServing(askAdmin, address, limit) };
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

/** A server builds the answers to wchc and wchp as one text in memory: ZOOKEEPER-2693. */
const MAX_WATCHES = 100_000;

/** Undefined if the member has few watches, or reports no number. */
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
