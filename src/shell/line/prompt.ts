import type { ClientState } from '../../client/base/client.js';
import { chrootStart } from '../../client/base/connect-string.js';
import { textWidth, truncate } from '../../commands/terminal/text-width.js';
import type { Span, Tone } from '../terminal/theme.js';

export interface Connection {
  /** "host:port", or the connect string while disconnected. */
  readonly server: string;
  readonly state: ClientState;
  readonly chroot: string;
  readonly cwd: string;
  /** Undefined if unknown or not shown. */
  readonly role?: string;
  readonly access?: 'rw' | 'ro';
}

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
 * `127.0.0.1:2181(connected) /app:/cwd> `, in at most half of the columns. A known role replaces
 * "connected": `127.0.0.1:2181(follower rw) /> `. The sign is `:` in the normal mode of vi.
 */
export function promptSpans(
  connection: Connection,
  columns: number,
  sign: '>' | ':' = '>',
): readonly Span[] {
  const [word, tone] = stateOf(connection);
  const room = Math.max(8, Math.floor(columns / 2) - textWidth(`(${word}) > `));
  const chroot = connection.chroot === '' ? '' : `${connection.chroot}:`;
  const path = truncateStart(chroot + connection.cwd, Math.ceil(room / 2));
  return [
    { text: truncate(connection.server, room - textWidth(path)), tone: 'dim' },
    { text: `(${word})`, tone },
    { text: ' ', tone: 'plain' },
    { text: path, tone: 'path' },
    { text: `${sign} `, tone: 'plain' },
  ];
}

function stateOf({ state, role, access }: Connection): readonly [word: string, tone: Tone] {
  const [word, tone] = STATE_WORDS[state];
  if (state !== 'connected') return [word, tone];
  return [access === undefined ? (role ?? word) : `${role ?? word} ${access}`, tone];
}

/** Cuts the beginning of a path: its end says more. */
function truncateStart(text: string, columns: number): string {
  const chars = [...text];
  if (textWidth(text) <= columns) return text;
  while (chars.length > 0 && textWidth(chars.join('')) > columns - 1) chars.shift();
  return `…${chars.join('')}`;
}

export function describeChange(
  before: Connection,
  after: Connection,
  reason: string | undefined,
): Span | undefined {
  if (before.state === after.state) return undefined;
  const why = reason === undefined ? '' : `: ${reason}`;
  switch (after.state) {
    case 'disconnected': {
      // The reason usually contains the server.
      const from = reason?.includes(before.server) === true ? '' : ` from ${before.server}`;
      return { text: `disconnected${from}${why}; reconnecting`, tone: 'busy' };
    }
    case 'connected':
    case 'connected-readonly': {
      if (before.state !== 'disconnected') return undefined;
      const role = after.state === 'connected' ? '' : ' (read-only)';
      return { text: `reconnected to ${after.server}${role}; session continues`, tone: 'good' };
    }
    case 'expired':
      return {
        text: 'session expired: ephemerals and watches are deleted; run connect to open a new session',
        tone: 'bad',
      };
    case 'auth-failed':
      return { text: `authentication failed${why}`, tone: 'bad' };
    case 'connecting':
    case 'closed':
      return undefined;
  }
}
