import type { WORDS, WordName } from '../../fourlw/index.js';
import type { ParsedMntr } from '../../fourlw/mntr.js';
import type { ParsedServer } from '../../fourlw/srvr.js';
import type { MemberAddress } from './member-address.js';
import type { Rates } from './rates.js';

export type Reason =
  | 'refused'
  | 'timeout'
  | 'dns'
  | 'reset'
  | 'unreachable'
  | 'tls'
  | 'empty'
  | 'too-large'
  | 'not-whitelisted'
  | 'not-serving'
  | 'unreadable'
  /** Not asked, because the answer would cost the server too much. */
  | 'too-costly';

export type MemberState = Reason | 'serving' | 'answered' | 'read-only';

export type Answer =
  | {
      readonly ok: true;
      readonly parsed: unknown;
      readonly text: string;
      readonly bytes: Buffer;
    }
  | {
      readonly ok: false;
      readonly reason: Reason;
      readonly detail: string;
      /** A refusal, or garbage. */
      readonly bytes: Buffer | undefined;
    };

export interface Fault {
  readonly reason: Reason | 'read-only';
  readonly message: string;
  readonly advice: string;
}

/** One member with all its answers. Renderings read nothing else. */
export interface Member {
  /** `host:port`, or its name in the list. */
  readonly server: string;
  readonly address: MemberAddress;
  readonly state: MemberState;
  readonly fault: Fault | undefined;
  /** The failure of one word when another word answered: mntr refused, srvr answered. */
  readonly note: Fault | undefined;
  readonly tookMs: number;
  /** In ms since 1970; only over TLS. */
  readonly certificateEndsMs?: number;
  /** It answers over TLS, but no certificate arrived. */
  readonly isCertificateUnknown?: true;
  /** Undefined without an earlier poll. */
  readonly rates?: Rates;
  /** It leads and serves no clients (leaderServes=no), by its AdminServer. */
  readonly isHiddenLeader?: true;
  readonly answers: Partial<Readonly<Record<WordName, Answer>>>;
}

const DOWN: readonly MemberState[] = [
  'refused',
  'timeout',
  'dns',
  'reset',
  'unreachable',
  'empty',
  'not-serving',
];

/** Whether this run found that the member serves no clients. */
export function isDown(state: MemberState): boolean {
  return DOWN.includes(state);
}

const UNJUDGED: readonly MemberState[] = [
  'tls',
  'not-whitelisted',
  'unreadable',
  'too-large',
  'too-costly',
];

/** A ZooKeeper server answered, if only by a refusal. */
export function isUp(state: MemberState): boolean {
  if (state === 'not-serving' || state === 'not-whitelisted' || state === 'too-costly') return true;
  return !isDown(state) && !isUnjudged(state);
}

/** No answer shows the state of this member. */
export function isUnjudged(state: MemberState): boolean {
  return UNJUDGED.includes(state);
}

export function parsedOf<Name extends WordName>(
  member: Member,
  word: Name,
): ReturnType<(typeof WORDS)[Name]['parse']> | undefined {
  const answer = member.answers[word];
  if (!answer?.ok) return undefined;
  return answer.parsed as ReturnType<(typeof WORDS)[Name]['parse']>;
}

/** `stat` contains all fields of `srvr`. */
export function serverOf(member: Member): ParsedServer | undefined {
  return parsedOf(member, 'stat') ?? parsedOf(member, 'srvr');
}

export function metricsOf(member: Member): ParsedMntr | undefined {
  return parsedOf(member, 'mntr');
}

export function roleOf(member: Member): string | undefined {
  if (member.isHiddenLeader === true) return 'leader';
  return serverOf(member)?.mode ?? metricsOf(member)?.values.get('server_state');
}
