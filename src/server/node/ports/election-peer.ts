/**
 * The election connection with one other server (QuorumCnxManager). A pair keeps one connection,
 * the one that the server with the larger number made:
 *
 * ```
 *   larger  ── preamble, frames ──────────────────▶ smaller     kept
 *   smaller ── preamble ──▶ larger   closes it and calls back   a knock
 * ```
 *
 * Of what is to be sent only the newest frame counts. One that left by a connection that broke may
 * be lost, so the next connection begins with it anew.
 *
 * Anybody can claim to be that server. While there is a connection, a claim makes it prove that it
 * lives: a vote of a round before all is answered by every server, in whatever state. A connection
 * that answers stays, one that is silent makes room.
 */
import type { Socket } from 'node:net';
import { LIMITS, type LimitName } from '../../limits/limits.js';
import type { HostPort } from '../../quorum/wire/election-preamble.js';
import { addressOf } from '../sockets/remote-name.js';
import { ElectionFrames, framed } from './election-frames.js';

export interface ElectionPeerOptions {
  readonly sid: number;
  /** One that is a member is wanted; others are only answered. */
  readonly isMember: () => boolean;
  /** Is the number of this server the larger one? It makes the connection then. */
  readonly isCaller: boolean;
  /** A connection over which this server has said who it is. */
  readonly dial: (addresses: readonly HostPort[], signal: AbortSignal) => Promise<Socket>;
  readonly onFrame: (frame: Buffer) => void;
  readonly onWarning: (message: string) => void;
  readonly onLimit: (limit: LimitName, from: string) => void;
  /** What a server answers at once. */
  readonly probe: Buffer;
  /** The connection is gone, and nothing asks for another. */
  readonly onIdle: () => void;
  readonly waits: typeof ELECTION_WAITS;
}

const MIN_PAUSE_MS = 50;
/** A knock is answered by a call; a second one meanwhile would end that call. */
const KNOCK_PAUSE_MS = 500;
/** With the pauses between them about as long as a server needs to start. */
const MAX_CALLS_BACK = LIMITS.electionCallsBack.value;
/** How long it waits, in ms. */
export const ELECTION_WAITS = {
  /** For a server that was asked to call back to hang up. */
  knockMs: LIMITS.electionConnectTime.value,
  /** For a connection to prove that it lives. */
  proofMs: LIMITS.electionProofTime.value,
  /** Between two tries to connect, at most. */
  maxPauseMs: 2000,
};

/** Somebody who says to be the server that is connected already. */
interface Claim {
  /** The connection has proved that it lives. */
  readonly refuse: () => void;
  /** It is gone. */
  readonly accept: () => void;
  readonly timer: NodeJS.Timeout;
}

export class ElectionPeer {
  /** Where to call it. */
  addresses: readonly HostPort[] = [];
  private readonly options: ElectionPeerOptions;
  private socket: Socket | null = null;
  private isWriting = false;
  /** Not sent yet. */
  private waiting: Buffer | null = null;
  /** Sent last, by whatever connection. */
  private last: Buffer | null = null;
  private call: AbortController | null = null;
  private timer: NodeJS.Timeout | undefined;
  private pauseMs = MIN_PAUSE_MS;
  /** It knocked, and is to be called this many times more, though nothing waits to be sent. */
  private callsOwed = 0;
  /** One at a time: who comes meanwhile may come again. */
  private claim: Claim | null = null;
  /** Where it said that it is. */
  private saidAddresses: readonly HostPort[] = [];

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

  /** It knocked, or somebody in its name: where it has a connection, it needs no other. */
  wasCalled(addresses: readonly HostPort[]): void {
    if (this.socket === null) this.callBack(addresses);
    else
      this.examine(
        () => undefined,
        () => this.callBack(addresses),
      );
  }

  /** A connection came in that says to be the server. @param rest read from it already */
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

  /** Has the connection prove that it lives. */
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
    const { sid, onWarning: onTrouble } = this.options;
    onTrouble(
      `two connections claim server ${sid} (a duplicate myid?): the first one answers and stays`,
    );
  }

  private callBack(addresses: readonly HostPort[]): void {
    this.drop();
    this.pauseMs = MIN_PAUSE_MS;
    this.saidAddresses = addresses;
    // It may have knocked before it listens itself.
    this.callsOwed = MAX_CALLS_BACK;
    this.connect();
  }

  /** A connection that is to be kept, in place of any other. @param rest read from it already */
  private adopt(socket: Socket, rest: Buffer): void {
    this.drop();
    this.socket = socket;
    this.pauseMs = MIN_PAUSE_MS;
    this.callsOwed = 0;
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
        const { sid, onWarning: onTrouble } = this.options;
        onTrouble(`the election connection with server ${sid} is closed: ${why}`);
        socket.destroy();
      }
    };
    socket.on('data', read);
    socket.once('close', () => this.lose(socket));
    // One that authenticated is paused.
    socket.resume();
    this.waiting ??= this.last;
    this.flush();
    if (rest.length > 0) read(rest);
  }

  /** Ends the connection, and whatever would make one. */
  close(): void {
    this.waiting = null;
    this.last = null;
    this.callsOwed = 0;
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
    this.call?.abort();
    this.call = null;
    const { socket } = this;
    this.socket = null;
    this.isWriting = false;
    socket?.destroy();
  }

  private lose(socket: Socket): void {
    if (this.socket !== socket) return;
    this.socket = null;
    this.isWriting = false;
    // What was sent last may be lost with it, and the next vote may be a minute away.
    if (this.options.isMember()) this.waiting ??= this.last;
    if (this.claim === null) this.goOn();
    else this.settleClaim(false);
  }

  /** Calls again where something waits to be sent, or a knock to be answered. */
  private goOn(atLeastMs = 0): void {
    if (this.waiting === null && this.callsOwed === 0) {
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
    if (this.call !== null) return;
    const isLastOwed = this.callsOwed === 1;
    if (this.callsOwed > 0) this.callsOwed--;
    const said = this.saidAddresses.filter((address) => !this.isKnown(address));
    const call = new AbortController();
    this.call = call;
    const { dial, isCaller, sid, onWarning: onTrouble, onLimit } = this.options;
    dial([...this.addresses, ...said], call.signal).then(
      (socket) => {
        if (call.signal.aborted) {
          socket.destroy();
          return;
        }
        this.call = null;
        if (isCaller) {
          this.adopt(socket, Buffer.alloc(0));
        } else {
          // The other side hangs up. Closed with bytes unread, it might not get to read ours.
          socket.setTimeout(this.options.waits.knockMs, () => {
            this.exceeded('electionConnectTime', socket);
            socket.destroy();
          });
          socket.resume().end();
          this.goOn(KNOCK_PAUSE_MS);
        }
      },
      (error: Error) => {
        if (call.signal.aborted) return;
        this.call = null;
        if (isLastOwed) onLimit('electionCallsBack', `server ${sid}`);
        onTrouble(`no election connection with server ${sid}: ${error.message}`);
        this.goOn();
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
