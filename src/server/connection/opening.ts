import type { ServerView } from '../../fourlw/base/server-view.js';
import { isLastSlice, slicesOf } from '../../fourlw/base/slices.js';
import { isAllowed, type Whitelist } from '../../fourlw/base/whitelist.js';
import { answerWord, wordOf } from '../../fourlw/index.js';
import type { ClientConnection } from '../state/client-connection.js';
import type { ServerState } from '../state/server-state.js';

const STMK_ARGUMENT_LENGTH = 8;

export interface OpeningOptions {
  readonly whitelist: Whitelist;
  readonly view: ServerView;
}

/** The first four bytes are a word or a length. Returns true if it answered a word. */
export function answerOpening(
  connection: ClientConnection,
  bytes: Buffer,
  state: ServerState,
  { whitelist, view }: OpeningOptions,
): boolean {
  const opening = connection.opening === null ? bytes : Buffer.concat([connection.opening, bytes]);
  connection.opening = opening;
  if (opening.length < 4) return false;
  const word = wordOf(opening.readInt32BE(0));
  if (word === undefined) {
    connection.isUndecided = false;
    connection.opening = null;
    connection.decoder.push(opening);
    return false;
  }
  const argument = opening.subarray(4, 4 + STMK_ARGUMENT_LENGTH);
  const wantsArgument = word.word === 'stmk' && isAllowed(word.word, whitelist);
  if (wantsArgument && argument.length < STMK_ARGUMENT_LENGTH) return false;
  connection.stats.received++;
  state.stats.received++;
  const slices = slicesOf(answerWord(view, word, whitelist, argument));
  const first = slices.next().value ?? '';
  connection.out.writeBytes(Buffer.from(first, 'utf8'));
  if (!isLastSlice(first)) connection.slices = slices;
  return true;
}
