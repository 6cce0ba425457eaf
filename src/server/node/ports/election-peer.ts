import type { Socket } from 'node:net';
import { FrameDecoder, FrameTooLongError } from '../../../jute/frame-decoder.js';
import { LIMITS, type LimitName } from '../../limits/limits.js';
import type { HostPort } from '../../quorum/wire/election-preamble.js';
import { addressOf } from '../sockets/remote-name.js';

/** Decodes the frames of an election connection and enforces their limits. */

const MAX_LENGTH = LIMITS.electionFrameLength.value;
/** More than an election needs; a faster sender is broken, and slows the others. */
const MAX_PER_SECOND = LIMITS.electionFramesPerSecond.value;

class ElectionFrames {
  private readonly decoder: FrameDecoder;
  private readonly onLimit: (limit: LimitName) => void;
  private secondBeganMs = 0;
  private count = 0;

  constructor(onFrame: (frame: Buffer) => void, onLimit: (limit: LimitName) => void) {
    this.onLimit = onLimit;
    this.decoder = new FrameDecoder(MAX_LENGTH, (bytes, start, end) => {
      if (start === end) throw new Error('an empty frame');
      this.countFrame();
      onFrame(Buffer.from(bytes.subarray(start, end)));
    });
  }

  /** @throws Error with the fault; no further frame is passed on then */
  push(bytes: Buffer): void {
    try {
      this.decoder.push(bytes);
    } catch (error) {
      this.decoder.stop();
      if (error instanceof FrameTooLongError) this.onLimit('electionFrameLength');
      throw error;
    }
  }

  private countFrame(): void {
    const nowMs = performance.now();
    if (nowMs - this.secondBeganMs >= 1000) {
      this.secondBeganMs = nowMs;
      this.count = 0;
    }
    if (++this.count <= MAX_PER_SECOND) return;
    this.onLimit('electionFramesPerSecond');
    throw new Error(`over ${MAX_PER_SECOND} frames a second`);
  }
}

function framed(frame: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(4 + frame.length);
  bytes.writeInt32BE(frame.length, 0);
  frame.copy(bytes, 4);
  return bytes;
}

// The election connection with one other server (QuorumCnxManager). A pair keeps one connection,
// made by the server with the larger id:
//
// ```
//   larger  ── preamble, frames ──────────────────▶ smaller     kept
//   smaller ── preamble ──▶ larger   closes it and dials back   a dial request
// ```
//
// Only the newest frame is sent. A broken connection may have lost the last frame, so the next
// connection starts with it again.
//
// Anybody can claim to be that server. A claim makes the existing connection prove that it is
// alive: every server answers a vote of an earlier round, in any state. A connection that answers
// stays; a silent one is replaced.

export interface ElectionPeerOptions {
  readonly sid: number;
  /** Only members are dialed; others only get answers. */
  readonly isMember: () => boolean;
  readonly isDialer: boolean;
  readonly dial: (addresses: readonly HostPort[], signal: AbortSignal) => Promise<Socket>;
  readonly onFrame: (frame: Buffer) => void;
  readonly onWarning: (message: string) => void;
  readonly onLimit: (limit: LimitName, from: string) => void;
  /** A vote that a server answers at once. */
  readonly probe: Buffer;
  /** The connection is gone, and nothing requires another. */
  readonly onIdle: () => void;
  readonly waits: typeof ELECTION_WAITS;
}

const MIN_PAUSE_MS = 50;
/** A second request would end the dial that answers the first. */
const DIAL_REQUEST_PAUSE_MS = 500;
/** With the pauses in between, this covers about the start of a server. */
const MAX_DIALS_BACK = LIMITS.electionCallsBack.value;
export const ELECTION_WAITS = {
  /** For a server to close the connection of a dial request. */
  dialRequestMs: LIMITS.electionConnectTime.value,
  /** For a connection to prove that it is alive. */
  proofMs: LIMITS.electionProofTime.value,
  /** Between two attempts to connect. */
  maxPauseMs: 2000,
  /** Servers that start at the same time call each other; a duplicate repeats its call. */
  crossingMs: 2000,
};

/** A second connection that claims to be the connected server. */
interface Claim {
  readonly refuse: () => void;
  readonly accept: () => void;
  readonly timer: NodeJS.Timeout;
}

export class ElectionPeer {
  addresses: readonly HostPort[] = [];
  private readonly options: ElectionPeerOptions;
  private socket: Socket | null = null;
  private isWriting = false;
  private waiting: Buffer | null = null;
  /** The last one sent, on any connection. */
  private last: Buffer | null = null;
  private dialing: AbortController | null = null;
  private timer: NodeJS.Timeout | undefined;
  private adoptedMs = 0;
  private pauseMs = MIN_PAUSE_MS;
  /** After a dial request: attempts left, even without a frame to send. */
  private dialsLeft = 0;
  /** One at a time: a concurrent claim may be repeated. */
  private claim: Claim | null = null;
  private announcedAddresses: readonly HostPort[] = [];

  constructor(options: ElectionPeerOptions) {
    this.options = options;
  }

  get isConnected(): boolean {
    return this.socket !== null;
  }

  notify(frame: Buffer): void {
    this.waiting = frame;
    if (this.socket !== null) this.flush();
    else if (this.timer === undefined) this.connect();
  }

  /** Handles a dial request, which may be forged. A connected server needs none. */
  dialRequested(addresses: readonly HostPort[]): void {
    if (this.socket === null) this.dialBack(addresses);
    else
      this.examine(
        () => undefined,
        () => this.dialBack(addresses),
      );
  }

  /** Handles a connection that claims to be the server. @param rest read from it already */
  claimed(socket: Socket, rest: Buffer): void {
    if (this.socket === null) {
      this.adopt(socket, rest);
      return;
    }
    socket.pause();
    const refuse = () => socket.destroy();
    this.examine(refuse, () => {
      if (!socket.destroyed) this.adopt(socket, rest);
      else this.drop();
    });
  }

  private examine(refuse: () => void, accept: () => void): void {
    if (this.claim !== null) {
      refuse();
      return;
    }
    const timer = setTimeout(() => {
      if (this.socket !== null) this.exceeded('electionProofTime', this.socket);
      this.settleClaim(false);
    }, this.options.waits.proofMs);
    this.claim = { refuse, accept, timer };
    this.socket?.write(framed(this.options.probe));
  }

  private settleClaim(isAlive: boolean): void {
    const { claim } = this;
    if (claim === null) return;
    clearTimeout(claim.timer);
    this.claim = null;
    if (!isAlive) {
      claim.accept();
      return;
    }
    claim.refuse();
    const { sid, onWarning, waits } = this.options;
    if (performance.now() - this.adoptedMs < waits.crossingMs) return;
    onWarning(
      `server ${sid}: two connections claim its id, and the first one stays. Check for a duplicate myid`,
    );
  }

  private dialBack(addresses: readonly HostPort[]): void {
    this.drop();
    this.pauseMs = MIN_PAUSE_MS;
    this.announcedAddresses = addresses;
    // It may have sent the request before it listens.
    this.dialsLeft = MAX_DIALS_BACK;
    this.connect();
  }

  /** Replaces the connection. @param rest read from it already */
  private adopt(socket: Socket, rest: Buffer): void {
    this.drop();
    this.socket = socket;
    this.adoptedMs = performance.now();
    this.pauseMs = MIN_PAUSE_MS;
    this.dialsLeft = 0;
    const frames = new ElectionFrames(
      (frame) => {
        if (this.socket !== socket) return;
        this.options.onFrame(frame);
        this.settleClaim(true);
      },
      (limit) => this.exceeded(limit, socket),
    );
    const read = (bytes: Buffer): void => {
      try {
        frames.push(bytes);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        const { sid, onWarning } = this.options;
        onWarning(`server ${sid}: closed its election connection: ${why}`);
        socket.destroy();
      }
    };
    socket.on('data', read);
    socket.once('close', () => this.lose(socket));
    // An authenticated socket is paused.
    socket.resume();
    this.waiting ??= this.last;
    this.flush();
    if (rest.length > 0) read(rest);
  }

  close(): void {
    this.waiting = null;
    this.last = null;
    this.dialsLeft = 0;
    if (this.claim !== null) {
      clearTimeout(this.claim.timer);
      this.claim.refuse();
      this.claim = null;
    }
    this.drop();
  }

  private drop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.dialing?.abort();
    this.dialing = null;
    const { socket } = this;
    this.socket = null;
    this.isWriting = false;
    socket?.destroy();
  }

  private lose(socket: Socket): void {
    if (this.socket !== socket) return;
    this.socket = null;
    this.isWriting = false;
    // The last frame may be lost, and the next vote may be a minute away.
    if (this.options.isMember()) this.waiting ??= this.last;
    if (this.claim === null) this.redial();
    else this.settleClaim(false);
  }

  /** Dials again if a frame waits, or a dial request needs an answer. */
  private redial(atLeastMs = 0): void {
    if (this.waiting === null && this.dialsLeft === 0) {
      this.options.onIdle();
      return;
    }
    const pauseMs = Math.max(this.pauseMs, atLeastMs);
    this.pauseMs = Math.min(pauseMs * 2, this.options.waits.maxPauseMs);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.connect();
    }, pauseMs);
  }

  private flush(): void {
    const { socket, waiting } = this;
    if (socket === null || waiting === null || this.isWriting) return;
    this.waiting = null;
    this.last = waiting;
    this.isWriting = true;
    socket.write(framed(waiting), () => {
      if (this.socket !== socket) return;
      this.isWriting = false;
      this.flush();
    });
  }

  private connect(): void {
    if (this.dialing !== null) return;
    const isLastAttempt = this.dialsLeft === 1;
    if (this.dialsLeft > 0) this.dialsLeft--;
    const announced = this.announcedAddresses.filter((address) => !this.isKnown(address));
    const dialing = new AbortController();
    this.dialing = dialing;
    const { dial, isDialer, sid, onWarning, onLimit } = this.options;
    dial([...this.addresses, ...announced], dialing.signal).then(
      (socket) => {
        if (dialing.signal.aborted) {
          socket.destroy();
          return;
        }
        this.dialing = null;
        if (isDialer) {
          this.adopt(socket, Buffer.alloc(0));
        } else {
          // The other side closes: a close here with unread bytes could lose the preamble.
          socket.setTimeout(this.options.waits.dialRequestMs, () => {
            this.exceeded('electionConnectTime', socket);
            socket.destroy();
          });
          socket.resume().end();
          this.redial(DIAL_REQUEST_PAUSE_MS);
        }
      },
      (error: Error) => {
        if (dialing.signal.aborted) return;
        this.dialing = null;
        if (isLastAttempt) onLimit('electionCallsBack', `server ${sid}`);
        onWarning(`server ${sid}: no election connection: ${error.message}`);
        this.redial();
      },
    );
  }

  private exceeded(limit: LimitName, socket: Socket): void {
    this.options.onLimit(limit, addressOf(socket));
  }

  private isKnown({ host, port }: HostPort): boolean {
    return this.addresses.some((known) => known.host === host && known.port === port);
  }
}
