/** How servers of an ensemble dial and accept connections. */
import { connect, type Socket } from 'node:net';
import { lookupInTurn } from '../../../base/lookup-in-turn.js';
import type { HostPort } from '../../quorum/wire/election-preamble.js';

export interface Transport {
  /** The connection is usable after the event `ready`. */
  open(address: HostPort): { readonly socket: Socket; readonly ready: 'connect' | 'trusted' };
  /** Passes on an incoming socket once it is usable; destroys a refused one. */
  take(socket: Socket, accept: (socket: Socket) => void): void;
  close(): void;
}

export const PLAIN: Transport = {
  open: (address) => ({
    socket: connect({ ...address, lookup: lookupInTurn, noDelay: true }),
    ready: 'connect',
  }),
  take: (socket, accept) => accept(socket),
  close: () => undefined,
};

export interface DialOptions {
  /** All of one server. Names are resolved anew each time. */
  readonly addresses: readonly HostPort[];
  /** Per address. */
  readonly timeoutMs: number;
  readonly transport: Transport;
  readonly signal: AbortSignal;
}

/** If an address has not answered by then, the next one is tried in parallel. */
const STAGGER_MS = 250;

/**
 * Connects to the first address that answers. The socket has an 'error' listener; 'close' follows.
 * @throws Error with a reason for an operator if no address answers, or on the signal
 */
export function dial(options: DialOptions): Promise<Socket> {
  const { addresses, signal } = options;
  return new Promise((resolve, reject) => {
    const waiting = [...addresses];
    const trying = new Set<Socket>();
    const reasons: string[] = [];
    let timer: NodeJS.Timeout | undefined;
    let isDone = false;
    const finish = (socket: Socket | null): void => {
      isDone = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      for (const other of trying) if (other !== socket) other.destroy();
      if (socket !== null) resolve(socket);
      else reject(new Error(reasons.join('; ') || 'no address is known'));
    };
    const abort = (): void => finish(null);
    const tryNext = (): void => {
      clearTimeout(timer);
      const address = waiting.shift();
      if (address === undefined) {
        if (trying.size === 0) finish(null);
        return;
      }
      if (waiting.length > 0) timer = setTimeout(tryNext, STAGGER_MS);
      const socket = attempt(address, options, (reason) => {
        trying.delete(socket);
        if (isDone) return;
        if (reason === null) finish(socket);
        else {
          reasons.push(reason);
          tryNext();
        }
      });
      trying.add(socket);
    };
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    else tryNext();
  });
}

/** @param onEnd called once, with null or the reason for the failure */
function attempt(
  address: HostPort,
  { timeoutMs, transport }: DialOptions,
  onEnd: (reason: string | null) => void,
): Socket {
  const { socket, ready } = transport.open(address);
  const place = `${address.host}:${address.port}`;
  let reason = `${place} did not answer in ${timeoutMs} ms`;
  const timer = setTimeout(() => socket.destroy(), timeoutMs);
  const handleClose = (): void => {
    clearTimeout(timer);
    onEnd(reason);
  };
  socket.on('error', (error: NodeJS.ErrnoException) => {
    reason =
      error.code === 'ECONNREFUSED'
        ? `${place} refused the connection`
        : `${place} is unreachable (${error.message || error.code})`;
  });
  socket.once('close', handleClose);
  socket.once(ready, () => {
    // A connect to an unused port may get it as source port, too, and so reach itself.
    if (socket.localPort === socket.remotePort && socket.localAddress === socket.remoteAddress) {
      reason = `${place} is also the source port of the call, so no server listens there`;
      socket.destroy();
      return;
    }
    clearTimeout(timer);
    socket.off('close', handleClose);
    onEnd(null);
  });
  return socket;
}
