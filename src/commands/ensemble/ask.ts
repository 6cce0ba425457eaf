import type { ServerAddress } from '../../client/base/connect-string.js';
import { type AskOptions, MAX_ANSWER_LENGTH } from '../../client/base/four-letter.js';
import type { TlsOptions } from '../../client/base/tls.js';
import { kindOfAnswer, WORDS, type WordName } from '../../fourlw/index.js';
import type { Answer, Reason } from './member.js';

/** Rejects with errors that have a `reason`. */
export type AskWord = (
  address: ServerAddress,
  word: string | Buffer,
  options: AskOptions,
) => Promise<Buffer>;

const NETWORK_REASONS: readonly string[] = [
  'refused',
  'timeout',
  'dns',
  'reset',
  'unreachable',
  'empty',
  'tls',
  'too-large',
];

/** The answers to these words grow with the clients and watches of a server. */
const LISTS: readonly WordName[] = ['stat', 'cons', 'dump', 'wchc', 'wchp'];
const MAY_BE_EMPTY: readonly WordName[] = ['hash', 'load'];
/** Other answers have a few KiB, mntr some hundred. A limit protects against garbage. */
const MAX_SHORT_ANSWER_LENGTH = 4 * 1024 * 1024;

interface AskLimit {
  readonly timeoutMs: number;
  readonly deadline: AbortSignal;
  /** The 8 bytes after stmk. */
  readonly argument?: Buffer;
  readonly tls?: TlsOptions;
}

/** Never throws. The timeout covers the whole answer, so a slow sender cannot delay the run. */
export async function askMember(
  ask: AskWord,
  address: ServerAddress,
  word: WordName,
  limit: AskLimit,
): Promise<Answer> {
  const { timeoutMs, deadline, argument, tls } = limit;
  const question = argument === undefined ? word : Buffer.concat([Buffer.from(word), argument]);
  try {
    const bytes = await ask(address, question, {
      timeoutMs,
      connectTimeoutMs: timeoutMs,
      readTimeoutMs: timeoutMs,
      maxLength: LISTS.includes(word) ? MAX_ANSWER_LENGTH : MAX_SHORT_ANSWER_LENGTH,
      signal: deadline,
      ...(tls === undefined ? {} : { tls }),
    });
    return judgeBytes(word, bytes);
  } catch (error) {
    const fault = deadline.aborted ? { reason: 'timeout' as const, detail: '' } : faultOf(error);
    if (MAY_BE_EMPTY.includes(word) && (await isEmptyAnswer(ask, address, fault.reason, limit))) {
      return judgeBytes(word, Buffer.alloc(0));
    }
    return { ok: false, ...fault, bytes: undefined };
  }
}

/**
 * A server without a digest, or one that does not know the word, answers nothing, like another
 * program. So ask another word, too.
 */
async function isEmptyAnswer(
  ask: AskWord,
  address: ServerAddress,
  reason: Reason,
  limit: AskLimit,
): Promise<boolean> {
  if (reason !== 'empty' && reason !== 'tls' && reason !== 'reset') return false;
  return (await askMember(ask, address, 'srvr', limit)).bytes !== undefined;
}

function judgeBytes(word: WordName, bytes: Buffer): Answer {
  const text = bytes.toString('utf8');
  const kind = kindOfAnswer(word, text);
  if (kind !== 'answer') return { ok: false, reason: kind, detail: text.trim(), bytes };
  if (!isReadable(word, text)) return { ok: false, reason: 'unreadable', detail: '', bytes };
  return { ok: true, parsed: WORDS[word].parse(text), text, bytes };
}

function faultOf(error: unknown): { reason: Reason; detail: string } {
  const detail = error instanceof Error ? error.message : String(error);
  const reason = error instanceof Error && 'reason' in error ? error.reason : undefined;
  const isKnown = typeof reason === 'string' && NETWORK_REASONS.includes(reason);
  return { reason: isKnown ? (reason as Reason) : 'reset', detail };
}

type Readable = { readonly [Name in WordName]: (text: string) => boolean };

const hasServer = (text: string) => WORDS.srvr.parse(text).mode !== undefined;
const hasMask = (text: string) => WORDS.gtmk.parse(text).mask !== undefined;
const isReset = (text: string) => WORDS.srst.parse(text).isDone;

const READABLE: Readable = {
  ruok: (text) => WORDS.ruok.parse(text).isOk,
  isro: (text) => WORDS.isro.parse(text).state !== undefined,
  srvr: hasServer,
  stat: hasServer,
  mntr: (text) => WORDS.mntr.parse(text).values.size > 0,
  // An answer without connections is valid, and a line of an unknown format, too.
  cons: (text) => {
    const { connections, unknown } = WORDS.cons.parse(text);
    return connections.length > 0 || unknown.length === 0;
  },
  conf: (text) => Object.keys(WORDS.conf.parse(text).values).length > 0,
  envi: (text) => Object.keys(WORDS.envi.parse(text).values).length > 0,
  wchs: (text) => WORDS.wchs.parse(text).watches !== undefined,
  wchc: (text) => WORDS.wchc.parse(text).sessions.every(([id]) => id.startsWith('0x')),
  wchp: (text) => WORDS.wchp.parse(text).paths.every(([path]) => path.startsWith('/')),
  dump: (text) => /dump/i.test(text),
  dirs: (text) => WORDS.dirs.parse(text).dataDirSize !== undefined,
  load: (text) => text === '' || WORDS.load.parse(text).seconds > 0,
  hash: (text) => WORDS.hash.parse(text).unknown.length === 0,
  gtmk: hasMask,
  stmk: hasMask,
  crst: isReset,
  srst: isReset,
};

/** Tells an answer of any dialect from that of another program, such as a web server. */
function isReadable(word: WordName, text: string): boolean {
  return READABLE[word](text);
}
