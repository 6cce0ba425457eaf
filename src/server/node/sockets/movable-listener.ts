/** Listens where clients or other servers expect this one; a reconfig may move it. */
import { lookup } from 'node:dns/promises';
import {
  createServer,
  isIPv6,
  type Server as NetServer,
  type Socket,
  SocketAddress,
} from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { listen, portOf, stopListening } from './listen.js';

export interface Place {
  readonly host: string | undefined;
  readonly port: number;
}

export interface MovableListenerOptions {
  readonly whom: string;
  /** Attempts to listen, one second apart; 0 is unlimited (electionPortBindRetry). */
  readonly tries: number;
  readonly backlog?: number;
  readonly allowHalfOpen?: boolean;
  readonly accept: (socket: Socket) => void;
  readonly onWarning: (message: string) => void;
}

const RETRY_MS = 1000;
const ANY = '*';

/** A place by its address, because several names may have the same one. */
interface Spot {
  readonly place: Place;
  readonly address: string;
}

export class MovableListener {
  private readonly options: MovableListenerOptions;
  private readonly listeners = new Set<NetServer>();
  /** Former listeners whose connections are still open. */
  private readonly ending = new Set<Promise<void>>();
  private readonly closing = new AbortController();
  /** One move at a time: two would need the same port. */
  private moving: Promise<void> = Promise.resolve();

  constructor(options: MovableListenerOptions) {
    this.options = options;
  }

  /** The port of the first place; -1 while it does not listen. */
  get port(): number {
    const [first] = this.listeners;
    return first === undefined ? -1 : portOf(first);
  }

  /**
   * Listens only at these places from then on. Accepted connections stay. If a place is not
   * available, the former listeners stay.
   * @throws ServerError EBIND
   */
  move(places: readonly Place[]): Promise<void> {
    const moved = this.moving.then(() => this.doMove(places));
    this.moving = moved.catch(() => undefined);
    return moved;
  }

  private async doMove(places: readonly Place[]): Promise<void> {
    const wanted = new Map<string, Spot>();
    for (const place of places) {
      const spot = { place, address: await addressOf(place.host) };
      wanted.set(`${spot.address} ${place.port}`, spot);
    }
    const missing = [...wanted.values()].filter((spot) => this.at(spot) === undefined);
    const kept = new Set([...wanted.values()].map((spot) => this.at(spot)));
    const leaving = [...this.listeners].filter((listener) => !kept.has(listener));
    for (const spot of missing) await this.replace(spot, leaving);
    for (const listener of leaving) this.end(listener);
  }

  private at({ place, address }: Spot): NetServer | undefined {
    return [...this.listeners].find(
      (listener) => portOf(listener) === place.port && boundTo(listener) === address,
    );
  }

  /** One address and all addresses share a port, so the former listener ends first. */
  private async replace(spot: Spot, leaving: readonly NetServer[]): Promise<void> {
    const inTheWay = leaving.filter(
      (listener) =>
        portOf(listener) === spot.place.port && (spot.address === ANY || boundTo(listener) === ANY),
    );
    const former = inTheWay.map(placeOf);
    for (const listener of inTheWay) this.end(listener);
    try {
      await this.open(spot.place);
    } catch (error) {
      if (!this.closing.signal.aborted) for (const place of former) await this.open(place);
      throw error;
    }
  }

  private end(listener: NetServer): void {
    if (!this.listeners.delete(listener)) return;
    const ended = stopListening(listener);
    this.ending.add(ended);
    ended.finally(() => this.ending.delete(ended)).catch(() => undefined);
  }

  private async open({ host, port }: Place): Promise<void> {
    const { whom, tries, backlog = 0, allowHalfOpen = false, accept, onWarning } = this.options;
    for (let tried = 1; ; tried++) {
      const listener = createServer({ allowHalfOpen, noDelay: true }, accept);
      try {
        await listen(listener, { host, port, backlog, whom });
        listener.on('error', (error) => onWarning(`the port for ${whom}: ${error.message}`));
        this.listeners.add(listener);
        if (this.closing.signal.aborted) this.end(listener);
        return;
      } catch (error) {
        if (tried === tries || this.closing.signal.aborted) throw error;
        if (tried === 1 && error instanceof Error) onWarning(`${error.message}; retrying`);
        await delay(RETRY_MS, undefined, { signal: this.closing.signal }).catch(() => {
          throw error;
        });
      }
    }
  }

  close(): void {
    this.closing.abort();
    for (const listener of this.listeners) this.end(listener);
  }

  /** After `close`: resolves when the owner has closed the accepted connections. */
  async ended(): Promise<void> {
    await this.moving;
    await Promise.all(this.ending);
  }
}

/** As `listen` resolves it; a name without an address is tried unchanged. */
async function addressOf(host: string | undefined): Promise<string> {
  if (host === undefined) return ANY;
  const found = await lookup(host).catch(() => ({ address: host }));
  return anyOr(found.address);
}

function boundTo(listener: NetServer): string {
  const address = listener.address();
  return address === null || typeof address === 'string' ? '' : anyOr(address.address);
}

/** Shortens an IPv6 address, since Apache's texts have the long form. */
function anyOr(given: string): string {
  const address = isIPv6(given)
    ? new SocketAddress({ address: given, family: 'ipv6' }).address
    : given;
  return address === '::' || address === '0.0.0.0' ? ANY : address;
}

function placeOf(listener: NetServer): Place {
  const address = listener.address();
  const host = address === null || typeof address === 'string' ? undefined : address.address;
  return { host, port: portOf(listener) };
}

/** @param isEverywhere quorumListenOnAllIPs */
export function placesOf(
  addresses: readonly { readonly host: string; readonly port: number }[],
  isEverywhere: boolean,
): Place[] {
  return addresses.map(({ host, port }) => ({ host: isEverywhere ? undefined : host, port }));
}
