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
import type { LimitName } from '../../limits/limits.js';
import { fileBudget } from './file-budget.js';
import { listen, portOf, stopListening } from './listen.js';
import { addressOf as addressOfPeer } from './remote-name.js';

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
  /** Between attempts at a place while another one is open. */
  readonly absentMs?: number;
  /** Whether clients connect, and not other servers. */
  readonly isForClients: boolean;
  readonly onLimit: (limit: LimitName, from: string, value: number) => void;
  readonly accept: (socket: Socket) => void;
  readonly onWarning: (message: string) => void;
}

const RETRY_MS = 1000;
/** A name that does not resolve occupies a thread of the pool for seconds. */
const ABSENT_MS = 10_000;
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
  private moves = 0;
  /** The places that a warning named, until they are open. */
  private readonly absent = new Set<string>();

  constructor(options: MovableListenerOptions) {
    this.options = options;
  }

  /** The port of the first place; -1 while it does not listen. */
  get port(): number {
    const [first] = this.listeners;
    return first === undefined ? -1 : portOf(first);
  }

  /**
   * Listens only at these places from then on. Accepted connections stay. If none is available, the
   * former listeners stay. One of several that is not available, such as an address of a network
   * that is down, is tried again later.
   * @throws ServerError EBIND
   */
  move(places: readonly Place[]): Promise<void> {
    const move = ++this.moves;
    const moved = this.moving.then(() => this.doMove(places, move));
    this.moving = moved.catch(() => undefined);
    return moved;
  }

  private async doMove(places: readonly Place[], move: number): Promise<void> {
    const wanted = new Map<string, Spot>();
    for (const place of places) {
      const spot = { place, address: await addressOf(place.host) };
      wanted.set(`${spot.address} ${place.port}`, spot);
    }
    let missing = [...wanted.values()].filter((spot) => this.at(spot) === undefined);
    const staying = new Set([...wanted.values()].map((spot) => this.at(spot)));
    const { tries, onWarning } = this.options;
    for (let tried = 1; missing.length > 0; tried++) {
      const errors = new Map<Spot, Error>();
      for (const spot of missing) await this.replace(spot, staying, errors);
      missing = [...errors.keys()];
      if (missing.length < wanted.size) this.retry(places, move, errors);
      if (missing.length < wanted.size) break;
      const [error] = errors.values();
      if (tried === tries || this.closing.signal.aborted) throw error;
      if (tried === 1) onWarning(`${error?.message}; retrying`);
      await delay(RETRY_MS, undefined, { signal: this.closing.signal }).catch(() => {
        throw error;
      });
    }
    for (const listener of this.listeners) if (!staying.has(listener)) this.end(listener);
  }

  /** Later, unless the places change before. Warns of each place once. */
  private retry(places: readonly Place[], move: number, errors: ReadonlyMap<Spot, Error>): void {
    const { absentMs = ABSENT_MS, onWarning } = this.options;
    const absent = new Map([...errors].map(([{ place }, error]) => [nameOf(place), error]));
    for (const [name, { message }] of absent) {
      if (!this.absent.has(name)) onWarning(`${message}; retrying, and serving at the others`);
    }
    for (const name of this.absent) if (!absent.has(name)) this.absent.delete(name);
    for (const name of absent.keys()) this.absent.add(name);
    if (absent.size === 0) return;
    const again = (): void => {
      if (move === this.moves) this.move(places).catch((error: Error) => onWarning(error.message));
    };
    delay(absentMs, undefined, { signal: this.closing.signal, ref: false }).then(
      again,
      () => undefined,
    );
  }

  private at({ place, address }: Spot): NetServer | undefined {
    return [...this.listeners].find(
      (listener) => portOf(listener) === place.port && boundTo(listener) === address,
    );
  }

  /** One address and all addresses share a port, so the former listener ends first. */
  private async replace(
    spot: Spot,
    staying: Set<NetServer | undefined>,
    errors: Map<Spot, Error>,
  ): Promise<void> {
    const inTheWay = [...this.listeners].filter(
      (listener) =>
        !staying.has(listener) &&
        portOf(listener) === spot.place.port &&
        (spot.address === ANY || boundTo(listener) === ANY),
    );
    const former = inTheWay.map(placeOf);
    for (const listener of inTheWay) this.end(listener);
    try {
      staying.add(await this.open(spot.place));
    } catch (error) {
      errors.set(spot, error as Error);
      if (!this.closing.signal.aborted) for (const place of former) await this.open(place);
    }
  }

  private end(listener: NetServer): void {
    if (!this.listeners.delete(listener)) return;
    const ended = stopListening(listener);
    this.ending.add(ended);
    ended.finally(() => this.ending.delete(ended)).catch(() => undefined);
  }

  /** @throws ServerError EBIND */
  private async open({ host, port }: Place): Promise<NetServer> {
    const { whom, backlog = 0, allowHalfOpen = false, onWarning } = this.options;
    const accept = (socket: Socket): void => this.accept(socket);
    const listener = createServer({ allowHalfOpen, noDelay: true }, accept);
    await listen(listener, { host, port, backlog, whom });
    listener.on('error', (error) => onWarning(`the port for ${whom}: ${error.message}`));
    this.listeners.add(listener);
    if (this.closing.signal.aborted) this.end(listener);
    return listener;
  }

  private accept(socket: Socket): void {
    const { isForClients, accept, onLimit } = this.options;
    if (fileBudget.take(socket, isForClients)) {
      accept(socket);
      return;
    }
    onLimit('reservedFiles', addressOfPeer(socket), fileBudget.reserved);
    socket.destroy();
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
export async function addressOf(host: string | undefined): Promise<string> {
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

function nameOf({ host, port }: Place): string {
  return `${host} ${port}`;
}

/** @param isEverywhere quorumListenOnAllIPs */
export function placesOf(
  addresses: readonly { readonly host: string; readonly port: number }[],
  isEverywhere: boolean,
): Place[] {
  return addresses.map(({ host, port }) => ({ host: isEverywhere ? undefined : host, port }));
}
