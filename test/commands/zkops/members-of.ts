import { makeMember } from '../../../src/commands/ensemble/make-member.js';
import type { Answer, Member, Reason } from '../../../src/commands/ensemble/member.js';
import type { OpsVerb } from '../../../src/commands/ensemble/verb.js';
import { VERBS } from '../../../src/commands/zkops/index.js';
import { WORDS, type WordName } from '../../../src/fourlw/index.js';
import { golden } from '../../fourlw/captured-view.js';

export function verbNamed(name: string): OpsVerb {
  const verb = VERBS.find((candidate) => candidate.name === name);
  if (verb === undefined) throw new Error(`no verb ${name}`);
  return verb;
}

/** A member that answers every word of the verb as Apache's server did in a capture. */
export function captured(verb: OpsVerb, server: string, port: number): Member {
  return answering(verb, port, (word) => golden(server, word));
}

/** A member that answers each word with a text, or not at all. */
export function answering(
  verb: OpsVerb,
  port: number,
  answerTo: (word: WordName) => string | Reason,
): Member {
  const answers = verb.words.map((word): Answer => {
    const text = answerTo(word);
    if (isReason(text)) return { ok: false, reason: text, detail: '', bytes: undefined };
    return { ok: true, text, parsed: WORDS[word].parse(text), bytes: Buffer.from(text) };
  });
  return makeMember(verb, { host: '10.0.0.1', port }, answers, { tookMs: 3, timeoutMs: 2000 });
}

/** A member that fails in one way for every word. */
export function failing(verb: OpsVerb, port: number, reason: Reason): Member {
  return answering(verb, port, () => reason);
}

/** The part of srvr that the verdict reads. */
export function srvrText(mode: string, zxid = '0x100000008'): string {
  return `Zookeeper version: 3.9.3\nZxid: ${zxid}\nMode: ${mode}\nNode count: 5\n`;
}

const REASONS: readonly string[] = [
  'refused',
  'timeout',
  'dns',
  'reset',
  'unreachable',
  'tls',
  'empty',
  'too-large',
  'not-whitelisted',
  'not-serving',
  'unreadable',
] satisfies Reason[];

function isReason(text: string): text is Reason {
  return REASONS.includes(text);
}
