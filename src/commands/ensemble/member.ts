import type { WORDS, WordName } from '../../fourlw/index.js';
import type { ParsedMntr } from '../../fourlw/mntr.js';
import type { ParsedServer } from '../../fourlw/srvr.js';
import type { MemberAddress } from './member-address.js';
import type { Rates } from './rates.js';

/** Why a member gave no answer that can be used. */
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

/** What the row of a member says: its reason, or that it is well. */
export type MemberState = Reason | 'serving' | 'answered' | 'read-only';

/** What one member answered to one word. */
export type Answer =
  | {
      readonly ok: true;
      /** What the word's parser made of it. */
      readonly parsed: unknown;
      readonly text: string;
      readonly bytes: Buffer;
    }
  | {
      readonly ok: false;
      readonly reason: Reason;
      /** What the network said, where it said something. */
      readonly detail: string;
      /** What came all the same: a refusal in words, or garbage. */
      readonly bytes: Buffer | undefined;
    };

export interface Fault {
  readonly reason: Reason | 'read-only';
  /** One sentence: what was found. */
  readonly message: string;
  /** One sentence: what to do. */
  readonly advice: string;
}

/** One member after all its words were asked; the rendering reads nothing else. */
export interface Member {
  /** `host:port`, or the name that the list gives it, as everywhere in the output. */
  readonly server: string;
  readonly address: MemberAddress;
  readonly state: MemberState;
  readonly fault: Fault | undefined;
  /** A fault of one word that others made good: mntr refused, srvr answered. */
  readonly note: Fault | undefined;
  readonly tookMs: number;
  /** When the certificate of its port expires, in ms since 1970; over TLS alone. */
  readonly certificateEndsMs?: number;
  /** What happened since an earlier look, where there is one. */
  readonly rates?: Rates;
  /** It leads and serves no clients (leaderServes=no), as its AdminServer says. */
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

/** Does this member serve nobody, as far as this run can see? */
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

/** Nothing came that tells how this member is. */
export function isUnjudged(state: MemberState): boolean {
  return UNJUDGED.includes(state);
}

/** What a word's answer says; undefined where there is none. */
export function parsedOf<Name extends WordName>(
  member: Member,
  word: Name,
): ReturnType<(typeof WORDS)[Name]['parse']> | undefined {
  const answer = member.answers[word];
  if (!answer?.ok) return undefined;
  return answer.parsed as ReturnType<(typeof WORDS)[Name]['parse']>;
}

/** `srvr`, or `stat`, which tells the same and more. */
export function serverOf(member: Member): ParsedServer | undefined {
  return parsedOf(member, 'stat') ?? parsedOf(member, 'srvr');
}

export function metricsOf(member: Member): ParsedMntr | undefined {
  return parsedOf(member, 'mntr');
}

/** leader, follower, observer, standalone, read-only; undefined where nothing tells. */
export function roleOf(member: Member): string | undefined {
  if (member.isHiddenLeader === true) return 'leader';
  return serverOf(member)?.mode ?? metricsOf(member)?.values.get('server_state');
}
