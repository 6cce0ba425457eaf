import type { WORDS, WordName } from '../../fourlw/index.js';
import type { ParsedMntr } from '../../fourlw/mntr.js';
import type { ParsedServer } from '../../fourlw/srvr.js';
import type { MemberAddress } from './member-address.js';
import type { Rates } from './rates.js';

/** Why a member gave no usable answer. */
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
  /** Not asked: the answer would cost the server too much. */
  | 'too-costly';

/** The state in the row of a member: a reason, or a healthy state. */
export type MemberState = Reason | 'serving' | 'answered' | 'read-only';

/** The answer of one member to one word. */
export type Answer =
  | {
      readonly ok: true;
      /** The result of the word's parser. */
      readonly parsed: unknown;
      readonly text: string;
      readonly bytes: Buffer;
    }
  | {
      readonly ok: false;
      readonly reason: Reason;
      /** The error of the network, if any. */
      readonly detail: string;
      /** The bytes that arrived: a refusal in words, or garbage. */
      readonly bytes: Buffer | undefined;
    };

export interface Fault {
  readonly reason: Reason | 'read-only';
  /** One sentence: the problem. */
  readonly message: string;
  /** One sentence: what to do. */
  readonly advice: string;
}

/** One member with all its answers; renderings read nothing else. */
export interface Member {
  /** `host:port`, or its name in the list, as everywhere in the output. */
  readonly server: string;
  readonly address: MemberAddress;
  readonly state: MemberState;
  readonly fault: Fault | undefined;
  /** The failure of one word when another word answered: mntr refused, srvr answered. */
  readonly note: Fault | undefined;
  readonly tookMs: number;
  /** Expiry time of the certificate of its port, in ms since 1970; only over TLS. */
  readonly certificateEndsMs?: number;
  /** The rates since an earlier look, if any. */
  readonly rates?: Rates;
  /** It leads and serves no clients (leaderServes=no), as its AdminServer reports. */
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

/** Whether this member serves nobody, as far as this run can see. */
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

/** Nothing shows the state of this member. */
export function isUnjudged(state: MemberState): boolean {
  return UNJUDGED.includes(state);
}

/** The parsed answer to a word; undefined without one. */
export function parsedOf<Name extends WordName>(
  member: Member,
  word: Name,
): ReturnType<(typeof WORDS)[Name]['parse']> | undefined {
  const answer = member.answers[word];
  if (!answer?.ok) return undefined;
  return answer.parsed as ReturnType<(typeof WORDS)[Name]['parse']>;
}

/** `srvr`, or `stat`, which contains the same and more. */
export function serverOf(member: Member): ParsedServer | undefined {
  return parsedOf(member, 'stat') ?? parsedOf(member, 'srvr');
}

export function metricsOf(member: Member): ParsedMntr | undefined {
  return parsedOf(member, 'mntr');
}

/** leader, follower, observer, standalone, read-only; undefined if unknown. */
export function roleOf(member: Member): string | undefined {
  if (member.isHiddenLeader === true) return 'leader';
  return serverOf(member)?.mode ?? metricsOf(member)?.values.get('server_state');
}
