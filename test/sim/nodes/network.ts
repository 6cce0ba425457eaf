import type { Random } from '../../support/random.js';
import type { Scheduler } from '../scheduler.js';

/** One end of a connection, with the calls that its owner receives. */
export interface End {
  received(bytes: Buffer): void;
  /** No call follows. The end that closed does not get it. */
  closed(reason: string): void;
}

/** One end of a connection, with the calls that its owner makes. */
export interface Socket {
  send(bytes: Buffer): void;
  /** After earlier bytes. */
  close(): void;
  /** Bytes on their way. */
  readonly unread: number;
  /** The other end has read a part. */
  whenRead(act: () => void): void;
}

/** One direction of a connection: in order, delayed, and blocked while its link is cut. */
class Pipe {
  readonly from: number;
  readonly to: number;
  private readonly network: Network;
  private readonly end: End;
  private items: { readonly bytes: Buffer | null; readonly atMs: number }[] = [];
  private isScheduled = false;
  private isDead = false;
  unread = 0;
  onRead: () => void = () => undefined;

  constructor(network: Network, from: number, to: number, end: End) {
    this.network = network;
    this.from = from;
    this.to = to;
    this.end = end;
  }

  /** Null is the end of the stream. */
  push(bytes: Buffer | null): void {
    if (this.isDead || this.items.at(-1)?.bytes === null) return;
    this.unread += bytes?.length ?? 0;
    const arrivalMs = this.network.arrivalMs(this.items.at(-1)?.atMs ?? 0);
    this.items.push({ bytes, atMs: arrivalMs + this.network.costMs(this, bytes?.length ?? 0) });
    this.schedule();
  }

  /** The receiver stops listening. */
  kill(): void {
    this.isDead = true;
    this.items = [];
  }

  /** The receiver learns that the connection is gone. */
  reset(): void {
    if (this.isDead) return;
    this.kill();
    this.end.closed('the connection was reset');
  }

  /** The connection breaks: a part of the bytes in flight arrives, and then the end. */
  break(kept: number): void {
    this.items = this.items.slice(0, kept).filter(({ bytes }) => bytes !== null);
    this.push(null);
  }

  /** It delivers nothing more. */
  get isOver(): boolean {
    return this.isDead;
  }

  get waiting(): number {
    return this.items.length;
  }

  schedule(): void {
    const [next] = this.items;
    if (next === undefined || this.isScheduled || this.network.isCut(this.from, this.to)) return;
    this.isScheduled = true;
    this.network.scheduler.later(next.atMs - this.network.scheduler.nowMs, () => {
      this.isScheduled = false;
      if (!this.network.isCut(this.from, this.to)) this.deliver();
      this.schedule();
    });
  }

  private deliver(): void {
    const item = this.items.shift();
    if (item === undefined) return;
    if (item.bytes !== null) {
      this.unread -= item.bytes.length;
      for (const part of this.network.split(item.bytes)) if (!this.isDead) this.end.received(part);
      this.onRead();
      return;
    }
    this.kill();
    this.end.closed('the other side closed the connection');
  }
}

/** The numbers of clients begin here. */
const FIRST_CLIENT = 100;

interface Connection {
  readonly a: number;
  readonly b: number;
  readonly toA: Pipe;
  readonly toB: Pipe;
}

/**
 * Streams between nodes, which are numbers. A cut blocks one direction. Its bytes wait, as while
 * TCP retransmits, and the ends notice by their own timeouts.
 */
export class Network {
  readonly scheduler: Scheduler;
  private readonly random: Random;
  private readonly cuts = new Set<string>();
  private readonly connections = new Set<Connection>();
  private readonly onHealed: ((from: number, to: number) => void)[] = [];
  maxDelayMs = 8;
  /** The rate of each connection between servers, in bytes per ms; 0: without a limit. */
  linkRate = 0;

  constructor(scheduler: Scheduler, random: Random) {
    this.scheduler = scheduler;
    this.random = random;
  }

  isCut(from: number, to: number): boolean {
    return this.cuts.has(`${from}>${to}`);
  }

  cut(from: number, to: number): void {
    if (from !== to) this.cuts.add(`${from}>${to}`);
  }

  heal(from: number, to: number): void {
    if (!this.cuts.delete(`${from}>${to}`)) return;
    for (const { toA, toB } of this.connections) {
      for (const pipe of [toA, toB]) if (pipe.from === from && pipe.to === to) pipe.schedule();
    }
    for (const heard of this.onHealed) heard(from, to);
  }

  healAll(): void {
    for (const way of [...this.cuts]) {
      const [from = '', to = ''] = way.split('>');
      this.heal(Number(from), Number(to));
    }
  }

  whenHealed(heard: (from: number, to: number) => void): void {
    this.onHealed.push(heard);
  }

  /** Breaks one of the connections. */
  breakOne(): void {
    const all = [...this.connections];
    if (all.length === 0) return;
    const connection = this.random.pick(all);
    for (const pipe of [connection.toA, connection.toB]) {
      pipe.break(this.random.below(pipe.waiting + 1));
    }
  }

  /** The connections of a node end at the other ends, and it does not notice. */
  reset(node: number, others: readonly number[]): void {
    for (const { a, b, toA, toB } of [...this.connections]) {
      if (a === node && others.includes(b)) toB.reset();
      if (b === node && others.includes(a)) toA.reset();
    }
  }

  /** A node is gone. Its own ends get no call, and the other ends break. */
  crash(node: number): void {
    for (const connection of [...this.connections]) {
      const { a, b, toA, toB } = connection;
      if (a !== node && b !== node) continue;
      const [own, other] = a === node ? [toA, toB] : [toB, toA];
      own.kill();
      other.push(null);
    }
    this.forget();
  }

  private forget(): void {
    for (const connection of this.connections) {
      if (connection.toA.isOver && connection.toB.isOver) this.connections.delete(connection);
    }
  }

  /** Connects two ends at once. The caller adds the delay of a handshake. */
  connect(a: number, endOfA: End, b: number, endOfB: End): { ofA: Socket; ofB: Socket } {
    const toA = new Pipe(this, b, a, endOfA);
    const toB = new Pipe(this, a, b, endOfB);
    const connection = { a, b, toA, toB };
    this.connections.add(connection);
    const socket = (own: Pipe, other: Pipe): Socket => ({
      send: (bytes) => other.push(bytes),
      get unread() {
        return other.unread;
      },
      whenRead: (act) => {
        other.onRead = act;
      },
      close: () => {
        own.kill();
        other.push(null);
        this.forget();
      },
    });
    return { ofA: socket(toA, toB), ofB: socket(toB, toA) };
  }

  delayMs(): number {
    return 1 + this.random.below(this.maxDelayMs);
  }

  /** The time that bytes take on a slow link. */
  costMs({ from, to }: { readonly from: number; readonly to: number }, length: number): number {
    const isLink = from < FIRST_CLIENT && to < FIRST_CLIENT;
    return this.linkRate > 0 && isLink ? Math.floor(length / this.linkRate) : 0;
  }

  /** Not before earlier bytes. */
  arrivalMs(notBeforeMs: number): number {
    return Math.max(notBeforeMs, this.scheduler.nowMs + this.delayMs());
  }

  /** A stream has no frames, so bytes sometimes arrive in two parts. */
  split(bytes: Buffer): Buffer[] {
    if (bytes.length < 2 || !this.random.oneIn(4)) return [bytes];
    const at = 1 + this.random.below(bytes.length - 1);
    return [bytes.subarray(0, at), bytes.subarray(at)];
  }
}
