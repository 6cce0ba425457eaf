import type { Socket } from './network.js';

/**
 * A connection that carries a snapshot as on a real server: in pieces, each made after the
 * previous one has left, while the tree changes. Later messages wait.
 */
export class StreamingSocket implements Socket {
  private readonly socket: Socket;
  /** Calls its argument a little later. */
  private readonly later: (run: () => void) => void;
  /** Null while nothing is streamed. */
  private waiting: (() => void)[] | null = null;
  private waitingBytes = 0;

  constructor(socket: Socket, later: (run: () => void) => void) {
    this.socket = socket;
    this.later = later;
  }

  send(bytes: Buffer): void {
    this.waitingBytes += bytes.length;
    this.inTurn(() => {
      this.waitingBytes -= bytes.length;
      this.socket.send(bytes);
    });
  }

  /** @param fail called when no further piece can be made */
  stream(pieces: Iterator<Buffer>, sent: () => void, fail: (reason: string) => void): void {
    this.inTurn(() => {
      this.waiting = [];
      this.next(pieces, sent, fail);
    });
  }

  /** The same for pieces that are read from a disk. */
  streamLater(pieces: AsyncIterator<Buffer>, fail: () => void): void {
    this.inTurn(() => {
      this.waiting = [];
      this.pull(pieces, fail);
    });
  }

  private pull(pieces: AsyncIterator<Buffer>, fail: () => void): void {
    pieces.next().then(
      (piece) => {
        if (piece.done === true) {
          this.finish();
          return;
        }
        this.socket.send(piece.value);
        this.later(() => this.pull(pieces, fail));
      },
      () => {
        this.waiting = [];
        this.socket.close();
        fail();
      },
    );
  }

  get unread(): number {
    return this.socket.unread + this.waitingBytes;
  }

  whenRead(act: () => void): void {
    this.socket.whenRead(act);
  }

  close(): void {
    this.inTurn(() => this.socket.close());
  }

  private inTurn(act: () => void): void {
    if (this.waiting === null) act();
    else this.waiting.push(act);
  }

  private next(pieces: Iterator<Buffer>, sent: () => void, fail: (reason: string) => void): void {
    let piece: IteratorResult<Buffer>;
    try {
      piece = pieces.next();
    } catch (error) {
      this.waiting = [];
      this.socket.close();
      fail(error instanceof Error ? error.message : String(error));
      return;
    }
    if (piece.done !== true) {
      this.socket.send(piece.value);
      this.later(() => this.next(pieces, sent, fail));
      return;
    }
    this.finish();
    sent();
  }

  private finish(): void {
    const waiting = this.waiting ?? [];
    this.waiting = null;
    for (const act of waiting) this.inTurn(act);
  }
}
