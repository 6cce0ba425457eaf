import type { ClientState } from '../../client/client.js';
import { chrootStart } from '../../client/connect-string.js';
import { textWidth, truncate } from '../../commands/terminal/text-width.js';
import type { Span, Tone } from '../terminal/theme.js';

/** What the prompt shows of the session. */
export interface Connection {
  /** "host:port" of the server, or the connect string while there is none. */
  readonly server: string;
  readonly state: ClientState;
  /** "" when there is none. */
  readonly chroot: string;
  readonly cwd: string;
  /** What the server is in its ensemble; undefined where it is not known, or not to be shown. */
  readonly role?: string;
  /** May this session change anything there? Undefined where it is not to be shown. */
  readonly access?: 'rw' | 'ro';
}

/** What a connect string names before its chroot. */
export function serversOf(target: string): string {
  return target.slice(0, chrootStart(target));
}

const STATE_WORDS: Readonly<Record<ClientState, readonly [word: string, tone: Tone]>> = {
  connecting: ['connecting', 'busy'],
  connected: ['connected', 'good'],
  'connected-readonly': ['read-only', 'busy'],
  disconnected: ['disconnected', 'bad'],
  expired: ['expired', 'bad'],
  closed: ['closed', 'bad'],
  'auth-failed': ['auth failed', 'bad'],
};

/**
 * `127.0.0.1:2181(connected) /app:/cwd> `, in at most half of the columns. A role that is known
 * stands for the word that there is a connection: `127.0.0.1:2181(follower rw) /> `.
 */
export function promptSpans(connection: Connection, columns: number): readonly Span[] {
  const [word, tone] = stateOf(connection);
  const room = Math.max(8, Math.floor(columns / 2) - textWidth(`(${word}) > `));
  const chroot = connection.chroot === '' ? '' : `${connection.chroot}:`;
  const path = truncateStart(chroot + connection.cwd, Math.ceil(room / 2));
  return [
    { text: truncate(connection.server, room - textWidth(path)), tone: 'dim' },
    { text: `(${word})`, tone },
    { text: ' ', tone: 'plain' },
    { text: path, tone: 'path' },
    { text: '> ', tone: 'plain' },
  ];
}

function stateOf({ state, role, access }: Connection): readonly [word: string, tone: Tone] {
  const [word, tone] = STATE_WORDS[state];
  if (state !== 'connected') return [word, tone];
  return [access === undefined ? (role ?? word) : `${role ?? word} ${access}`, tone];
}

/** The end of a path says more than its beginning. */
function truncateStart(text: string, columns: number): string {
  const chars = [...text];
  if (textWidth(text) <= columns) return text;
  while (chars.length > 0 && textWidth(chars.join('')) > columns - 1) chars.shift();
  return `…${chars.join('')}`;
}

/** What to say above the prompt when the session goes from one state to another, if anything. */
export function describeChange(
  before: Connection,
  after: Connection,
  reason: string | undefined,
): Span | undefined {
  if (before.state === after.state) return undefined;
  const why = reason === undefined ? '' : `: ${reason}`;
  switch (after.state) {
    case 'disconnected': {
      // The reason mostly names the server itself.
      const from = reason?.includes(before.server) === true ? '' : ` from ${before.server}`;
      return { text: `disconnected${from}${why}; reconnecting`, tone: 'busy' };
    }
    case 'connected':
    case 'connected-readonly': {
      if (before.state !== 'disconnected') return undefined;
      const role = after.state === 'connected' ? '' : ', which is read-only';
      return { text: `reconnected to ${after.server}${role}; the session goes on`, tone: 'good' };
    }
    case 'expired':
      return {
        text: 'the session expired: its ephemerals and watches are gone; connect opens another',
        tone: 'bad',
      };
    case 'auth-failed':
      return { text: `authentication failed${why}`, tone: 'bad' };
    case 'connecting':
    case 'closed':
      return undefined;
  }
}
