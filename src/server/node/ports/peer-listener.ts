/** Listens where the other servers expect this one; a reconfig may move it. */
import { createServer, type Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { listen, stopListening } from '../sockets/listen.js';

export interface Place {
  /** All addresses of this machine by default. */
  readonly host: string | undefined;
  readonly port: number;
}

export interface PeerListenerOptions {
  /** For messages: "elections". */
  readonly whom: string;
  /** How many attempts to listen, one second apart; 0 is unlimited (electionPortBindRetry). */
  readonly tries: number;
  readonly accept: (socket: Socket) => void;
  readonly onWarning: (message: string) => void;
}

const RETRY_MS = 1000;
const BACKLOG = 50;

export class PeerListener {
  private readonly options: PeerListenerOptions;
  /** By "host:port". */
  private readonly listeners = new Map<string, NetServer>();
  private readonly closing = new AbortController();
  /** One move at a time: two would need the same port. */
  private moving: Promise<void> = Promise.resolve();

  constructor(options: PeerListenerOptions) {
    this.options = options;
  }

  /** Listens only at these places from then on. @throws ServerError EBIND */
  move(places: readonly Place[]): Promise<void> {
    const moved = this.moving.then(() => this.doMove(places));
    this.moving = moved.catch(() => undefined);
    return moved;
  }

  private async doMove(places: readonly Place[]): Promise<void> {
    const wanted = new Map(places.map((place) => [keyOf(place), place]));
    for (const [key, place] of wanted) {
      if (this.listeners.has(key)) continue;
      const listener = await this.open(place);
      if (this.closing.signal.aborted) await stopListening(listener);
      else this.listeners.set(key, listener);
    }
    for (const [key, listener] of this.listeners) {
      if (wanted.has(key)) continue;
      this.listeners.delete(key);
      // Accepted connections stay; do not wait for them.
      listener.close();
    }
  }

  private async open({ host, port }: Place): Promise<NetServer> {
    const { whom, tries, accept, onWarning } = this.options;
    for (let tried = 1; ; tried++) {
      const listener = createServer({ noDelay: true }, accept);
      try {
        await listen(listener, { host, port, backlog: BACKLOG, whom });
        listener.on('error', (error) => onWarning(`the port for ${whom}: ${error.message}`));
        return listener;
      } catch (error) {
        if (tried === tries || this.closing.signal.aborted) throw error;
        if (tried === 1 && error instanceof Error) onWarning(`${error.message}; retrying`);
        await delay(RETRY_MS, undefined, { signal: this.closing.signal }).catch(() => {
          throw error;
        });
      }
    }
  }

  /** The owner closes the accepted connections, before or after. */
  close(): void {
    this.closing.abort();
    for (const listener of this.listeners.values()) listener.close();
    this.listeners.clear();
  }
}

function keyOf({ host = '*', port }: Place): string {
  return `${host} ${port}`;
}

/** @param isEverywhere quorumListenOnAllIPs */
export function placesOf(
  addresses: readonly { readonly host: string; readonly port: number }[],
  isEverywhere: boolean,
): Place[] {
  return addresses.map(({ host, port }) => ({ host: isEverywhere ? undefined : host, port }));
}
