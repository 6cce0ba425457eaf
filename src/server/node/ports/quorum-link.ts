/**
 * One connection of the learner protocol. Packets of one turn leave in one write. A snapshot, a
 * part of the log, or much data for a learner that is not in sync is a stream, written piece by
 * piece; later packets wait for it.
 */
import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { LIMITS } from '../../limits/limits.js';
import { snapshotPieces } from '../../quorum/leading/synchronizer.js';

/** Bytes that the other side may leave unread; above this, its link is closed. */
const MAX_WAITING_BYTES = LIMITS.quorumUnreadBytes.value;

/** Unread bytes for a learner that is not in sync; above this, it should get no more. */
const FULL_BYTES = LIMITS.unprovenLinkBytes.value;
/** Bytes of such data written at once: the other side must be seen to read. */
const PIECE_BYTES = 64 * 1024;
/** Bytes of a stream written in one turn, as long as they leave at once. */
const MAX_TURN_BYTES = 16 * PIECE_BYTES;

/** Time for pending output to leave a closed link. */
const CLOSE_TIMEOUT_MS = LIMITS.quorumClosingTime.value;

export interface QuorumLinkOptions {
  readonly socket: Socket;
  readonly onBytes: (bytes: Buffer) => void;
  /** Called when the last piece of a snapshot is made, unless the link is closed. */
  readonly onSnapshotSent: () => void;
  /** Never called after `close`. */
  readonly onClosed: (reason: string) => void;
  /** Called for an accepted link until `prove`. */
  readonly onOutput?: (state: 'full' | 'moving' | 'empty') => void;
  readonly maxWaitingBytes?: number;
  readonly fullBytes?: number;
  readonly closingTimeMs?: number;
  readonly onLimit?: (limit: 'quorumUnreadBytes' | 'quorumClosingTime', value: number) => void;
}

interface Stream {
  readonly kind: 'stream';
  /** Named in the reason for a failure. */
  readonly what: string;
  readonly pieces: () => Iterable<Buffer> | AsyncIterable<Buffer>;
  readonly onSent?: () => void;
}

type Outgoing =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | Stream
  | { readonly kind: 'end' };

export class QuorumLink {
  private readonly options: QuorumLinkOptions;
  private readonly socket: Socket;
  /** Packets after a stream in progress. */
  private waiting: Outgoing[] = [];
  /** The bytes in `waiting`, and those of large packets under way as a stream. */
  private waitingBytes = 0;
  /** Later packets wait. One stream at a time. */
  private isStreaming = false;
  /** Packets of this turn leave at its end. */
  private isCorked = false;
  /** By either side; stays true. After `close`, only `onLimit` is called. */
  private isClosed = false;
  /** True from the start for a dialed link; stays true. */
  private isProven: boolean;
  /** The last of `full` and `empty` was `full`. */
  private isFull = false;
  /** Why the other side or the system closed it, for `onClosed`. */
  private reason = 'the other side closed the connection';

  constructor(options: QuorumLinkOptions) {
    this.options = options;
    const { socket } = options;
    this.socket = socket;
    this.isProven = options.onOutput === undefined;
    socket.on('drain', this.moved);
    socket.on('data', (bytes) => {
      if (!this.isClosed) options.onBytes(bytes);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      this.reason = `the connection broke (${error.code ?? error.message})`;
    });
    socket.once('close', () => this.finish());
  }

  /** Bytes that the other side has not read, as far as it is known here. */
  get unsent(): number {
    return this.waitingBytes + this.socket.writableLength;
  }

  send(bytes: Buffer): void {
    if (this.socket.destroyed) return;
    if (this.isStreaming) {
      this.waiting.push({ kind: 'bytes', bytes });
      this.waitingBytes += bytes.length;
    } else {
      this.put(bytes);
    }
    this.checkFull();
    const { maxWaitingBytes = MAX_WAITING_BYTES } = this.options;
    if (this.unsent <= maxWaitingBytes) return;
    this.options.onLimit?.('quorumUnreadBytes', maxWaitingBytes);
    this.fail(`it did not read: over ${maxWaitingBytes} bytes are pending`);
  }

  /** The other side is in sync: nobody has to know how it reads. */
  prove(): void {
    this.isProven = true;
  }

  /** Stops reading, or reads again. */
  hold(isHeld: boolean): void {
    if (isHeld) this.socket.pause();
    else this.socket.resume();
  }

  private checkFull(): void {
    const { fullBytes = FULL_BYTES, onOutput } = this.options;
    if (this.isProven || this.isFull || this.unsent <= fullBytes) return;
    this.isFull = true;
    onOutput?.('full');
  }

  private readonly moved = (): void => {
    if (this.isProven || this.isClosed) return;
    const isEmpty = this.isFull && this.unsent === 0;
    if (isEmpty) this.isFull = false;
    this.options.onOutput?.(isEmpty ? 'empty' : 'moving');
  };

  /**
   * A small write has no drain event, and may be the last one of a full link. Otherwise it shows
   * nothing: the system takes the pings for a learner that reads nothing, too.
   */
  private readonly written = (): void => {
    if (this.isFull) this.moved();
  };

  sendSnapshot(effect: Parameters<typeof snapshotPieces>[0]): void {
    const { onSnapshotSent } = this.options;
    const pieces = () => snapshotPieces(effect);
    this.sendStream({ kind: 'stream', what: 'the snapshot', pieces, onSent: onSnapshotSent });
  }

  sendTxns(packets: AsyncIterable<Buffer>): void {
    this.sendStream({ kind: 'stream', what: 'the log', pieces: () => packets });
  }

  private sendStream(stream: Stream): void {
    if (this.isStreaming) this.waiting.push(stream);
    else this.startStream(stream);
  }

  /** Closes after pending output. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    const { closingTimeMs = CLOSE_TIMEOUT_MS, onLimit } = this.options;
    // Continues to read: a close with unread bytes could lose the pending output.
    const timer = setTimeout(() => {
      onLimit?.('quorumClosingTime', closingTimeMs);
      this.socket.destroy();
    }, closingTimeMs);
    this.socket.once('close', () => clearTimeout(timer));
    if (this.isStreaming) this.waiting.push({ kind: 'end' });
    else this.socket.end();
  }

  /** Closes at once, and calls `onClosed`. */
  fail(reason: string): void {
    this.reason = reason;
    this.socket.destroy();
  }

  private finish(): void {
    this.waiting = [];
    this.waitingBytes = 0;
    if (this.isClosed) return;
    this.isClosed = true;
    this.options.onClosed(this.reason);
  }

  private put(bytes: Buffer): void {
    if (this.isProven || bytes.length <= PIECE_BYTES) {
      this.write(bytes);
      return;
    }
    this.waitingBytes += bytes.length;
    this.startStream({ kind: 'stream', what: 'the packets', pieces: () => this.piecesOf(bytes) });
  }

  private *piecesOf(bytes: Buffer): Generator<Buffer> {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      const piece = bytes.subarray(at, at + PIECE_BYTES);
      this.waitingBytes -= piece.length;
      yield piece;
    }
  }

  private write(bytes: Buffer): void {
    const { socket } = this;
    if (!this.isCorked) {
      this.isCorked = true;
      socket.cork();
      process.nextTick(() => {
        this.isCorked = false;
        socket.uncork();
      });
    }
    if (this.isProven) socket.write(bytes);
    else socket.write(bytes, this.written);
  }

  private startStream({ what, pieces, onSent }: Stream): void {
    this.isStreaming = true;
    this.stream(pieces()).then(
      () => {
        this.isStreaming = false;
        this.sendWaiting();
        if (!this.isClosed) onSent?.();
      },
      (error: Error) => this.fail(`cannot send ${what}: ${error.message}`),
    );
  }

  /** Sends the packets that waited for a stream, up to the next stream. */
  private sendWaiting(): void {
    while (!this.isStreaming) {
      const next = this.waiting.shift();
      if (next === undefined) return;
      if (next.kind === 'stream') this.startStream(next);
      else if (next.kind === 'end') this.socket.end();
      else {
        this.waitingBytes -= next.bytes.length;
        this.put(next.bytes);
      }
    }
  }

  /** A turn of a busy server is long, so a fast link gets several pieces in each. */
  private async stream(pieces: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<void> {
    const { socket } = this;
    let [written, most] = [0, PIECE_BYTES];
    for await (const piece of pieces) {
      socket.write(piece, this.moved);
      written += piece.length;
      if (written < most && !socket.destroyed) continue;
      await turn();
      [written, most] = [0, socket.writableLength === 0 ? MAX_TURN_BYTES : PIECE_BYTES];
      if (socket.writableNeedDrain) await drained(socket);
      if (socket.destroyed) return;
    }
  }
}

/** Resolves when there is room, or the socket is closed. */
function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) {
      resolve();
      return;
    }
    const done = (): void => {
      socket.off('drain', done);
      socket.off('close', done);
      resolve();
    };
    socket.on('drain', done);
    socket.on('close', done);
  });
}
