// The registry of the four-letter words, and the rule by which a server answers a word.

import type { ServerView } from './base/server-view.js';
import { isAllowed, notExecuted, type Whitelist } from './base/whitelist.js';
import { anytimeWord, NOT_SERVING, type Word } from './base/word.js';
import { conf } from './conf.js';
import { cons } from './cons.js';
import { crst } from './crst.js';
import { dirs } from './dirs.js';
import { dump } from './dump.js';
import { envi } from './envi.js';
import { gtmk } from './gtmk.js';
import { hash } from './hash.js';
import { isro } from './isro.js';
import { KEEPER_WORDS } from './keeper-words.js';
import { load } from './load.js';
import { mntr } from './mntr.js';
import { ruok } from './ruok.js';
import { srst } from './srst.js';
import { srvr } from './srvr.js';
import { stat } from './stat.js';
import { stmk } from './stmk.js';
import { wchc } from './wchc.js';
import { wchp } from './wchp.js';
import { wchs } from './wchs.js';

export const WORDS = {
  ruok,
  srvr,
  stat,
  mntr,
  cons,
  conf,
  envi,
  isro,
  wchs,
  wchc,
  wchp,
  dump,
  dirs,
  hash,
  gtmk,
  stmk,
  crst,
  srst,
  load,
} as const;

export type WordName = keyof typeof WORDS;

/** A telnet client sends this on Ctrl-C. Apache's server knows it, and closes without a warning. */
const telnetClose = anytimeWord<string>({
  word: 'telnet close',
  summary: 'Close the connection',
  render: () => '',
  parse: (text) => text,
});
const TELNET_CLOSE = 0xfff4fffd | 0;

function codeOf(word: string): number {
  return Buffer.from(word, 'latin1').readInt32BE(0);
}

const BY_CODE = new Map<number, Word>([
  ...[...Object.values(WORDS), ...KEEPER_WORDS].map((word): [number, Word] => [
    codeOf(word.word),
    word,
  ]),
  [TELNET_CLOSE, telnetClose],
]);

/** The word in the first four bytes of a connection, as a big-endian signed int32. */
export function wordOf(code: number): Word | undefined {
  return BY_CODE.get(code | 0);
}

/**
 * The answer of a server in pieces: a refusal, or the text of the word. The server closes the
 * connection after it.
 * @param argument the bytes after `stmk`; not read when the word is refused
 */
export function answerWord(
  view: ServerView,
  word: Word,
  whitelist: Whitelist,
  argument?: Buffer,
): Iterable<string> {
  if (!isAllowed(word.word, whitelist)) return [notExecuted(word.word)];
  if (word.notServing !== undefined && !view.isServing) return [word.notServing];
  return word.pieces(view, argument);
}

const LOADING = /\nLoading: (\d{1,2} %)$/;

export type AnswerKind = 'answer' | 'not-whitelisted' | 'not-serving';

/**
 * `isro` answers `null` when not serving; ClickHouse Keeper does not call itself ZooKeeper. A
 * server of this project that reads its data adds how much (`loadingOf`).
 */
export function kindOfAnswer(word: string, text: string): AnswerKind {
  const line = text.trim().replace(LOADING, '');
  if (/is not executed because it is not in the white ?list\.$/.test(line)) {
    return 'not-whitelisted';
  }
  if (line === NOT_SERVING || line === 'This instance is not currently serving requests') {
    return 'not-serving';
  }
  return word === 'isro' && line === 'null' ? 'not-serving' : 'answer';
}

/** How much of its data a server that does not serve yet has read: "43 %". */
export function loadingOf(text: string): string | undefined {
  return LOADING.exec(text.trim())?.[1];
}
