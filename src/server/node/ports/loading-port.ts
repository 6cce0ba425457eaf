import { createServer, type Server, type Socket } from 'node:net';
import { isAllowed, notExecuted, type Whitelist } from '../../../fourlw/base/whitelist.js';
import { NOT_SERVING } from '../../../fourlw/base/word.js';
import { wordOf } from '../../../fourlw/index.js';
import type { ClientPlace } from '../../config/config-ensemble.js';
import { LIMITS } from '../../limits/limits.js';
import { stopListening } from '../sockets/listen.js';

/**
 * The port for clients while a start reads its data. `srvr`, `stat`, `mntr`, and others say that it
 * does not serve yet, and how much it has read. Every other connection is closed.
 *
 * Invariant: it is open only from the first `show` to `close`, so the real port can listen then.
 */
export class LoadingPort {
  private readonly place: ClientPlace | null;
  private readonly whitelist: Whitelist;
  private percent = 0;
  /** Null before the first `show`. */
  private listener: Server | null = null;
  /** Those that are open; at most LIMITS.loadingConnections. */
  private readonly sockets = new Set<Socket>();

  /** @param place null without a port for clients without TLS */
  constructor(place: ClientPlace | null, whitelist: Whitelist) {
    // Nobody knows a free port before it is open.
    this.place = place?.port === 0 ? null : place;
    this.whitelist = whitelist;
  }

  show(percent: number): void {
    this.percent = percent;
    if (this.listener !== null || this.place === null) return;
    const { address, port } = this.place;
    this.listener = createServer((socket) => this.accept(socket));
    this.listener.maxConnections = LIMITS.loadingConnections.value;
    // The start tells, at its end, why it cannot listen.
    this.listener.on('error', () => undefined);
    this.listener.listen({ port, host: address ?? '0.0.0.0' });
  }

  async close(): Promise<void> {
    const { listener } = this;
    if (listener === null) return;
    for (const socket of this.sockets) socket.destroy();
    await stopListening(listener);
  }

  private accept(socket: Socket): void {
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    socket.on('error', () => undefined);
    socket.setTimeout(LIMITS.loadingWordTime.value, () => socket.destroy());
    let received = Buffer.alloc(0);
    socket.on('data', (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      if (received.length < 4) return;
      socket.removeAllListeners('data').pause();
      const answer = this.answer(received.readInt32BE(0));
      if (answer === '') socket.destroy();
      else socket.end(answer, () => socket.destroy());
    });
  }

  /** "" for what only a server can answer. */
  private answer(code: number): string {
    const word = wordOf(code);
    if (word?.notServing === undefined) return '';
    if (!isAllowed(word.word, this.whitelist)) return notExecuted(word.word);
    const isSentence = word.notServing.startsWith(NOT_SERVING);
    return isSentence ? `${word.notServing}Loading: ${this.percent} %\n` : word.notServing;
  }
}
