import { FastLeaderElection } from '../../../../src/server/quorum/election/fast-leader-election.js';
import type { Random } from '../../../support/random.js';
import { ensembleOf } from './election-world.js';

export interface Faults {
  /** Crashes, cuts, and repairs between servers. Empty for a run without faults. */
  readonly count: number;
  readonly maxDelayMs: number;
}

/**
 * The time that a leader waits for a quorum, and a learner for its leader, before it looks again.
 */
const PATIENCE_MS = 3000;
const MAX_INTERVAL_MS = 1600;

interface Member {
  readonly sid: number;
  isUp: boolean;
  election: FastLeaderElection;
  /** The last zxid on its disk. */
  epoch: number;
  zxid: bigint;
  /** The time at which it leaves its state. */
  givesUpAtMs: number;
  /** The leader that it has synced with, or itself if it leads with a quorum. */
  leader: number | undefined;
}

interface Parcel {
  readonly from: number;
  readonly to: number;
  readonly frame: Buffer;
  readonly arrivesAtMs: number;
  /** The number of the connection that carries it. A break loses it. */
  readonly connection: number;
}

/**
 * Elections among servers whose network and processes fail, with only as much of Zab as makes
 * servers look again. The transport is Apache's: a connection keeps the order, holds only the
 * newest frame, and repeats the last one after a reconnect.
 */
export class ElectionSimulation {
  readonly members: Member[];
  nowMs = 0;
  /** The leaders of each epoch that a quorum established. */
  readonly leaders = new Map<number, Set<number>>();
  private readonly random: Random;
  private readonly faults: Faults;
  private readonly config;
  private parcels: Parcel[] = [];
  private readonly lastFrames = new Map<string, Buffer>();
  private readonly cut = new Set<string>();
  private readonly connections = new Map<string, number>();

  constructor(random: Random, size: number, faults: Faults) {
    this.random = random;
    this.faults = faults;
    this.config = ensembleOf(size);
    this.members = Array.from({ length: size }, (_, at) => ({
      sid: at + 1,
      isUp: true,
      election: this.makeElection(at + 1),
      epoch: random.below(2),
      zxid: BigInt(random.below(3)),
      givesUpAtMs: 0,
      leader: undefined,
    }));
    for (const member of this.members) this.look(member);
  }

  /** Runs until every server has the same established leader, or `untilMs`. */
  run(untilMs: number, isDone: () => boolean = () => false): void {
    while (this.nowMs < untilMs && !isDone()) {
      this.nowMs = Math.min(untilMs, this.nextMs());
      const due = this.parcels.filter(({ arrivesAtMs }) => arrivesAtMs <= this.nowMs);
      this.parcels = this.parcels.filter(({ arrivesAtMs }) => arrivesAtMs > this.nowMs);
      for (const parcel of due) this.deliver(parcel);
      // Twice, so that the last server sees the state of the first one at the same time.
      for (const member of [...this.members, ...this.members]) {
        if (member.isUp) this.turn(member);
      }
    }
  }

  /** Makes a fault or repairs one. */
  disturb(): void {
    const member = this.random.pick(this.members);
    const other = this.random.pick(this.members);
    if (this.random.oneIn(2)) this.setCut(member.sid, other.sid, this.random.oneIn(2));
    else if (member.isUp) this.crash(member);
    else this.start(member);
  }

  heal(): void {
    for (const { sid } of this.members) {
      for (const { sid: other } of this.members) this.setCut(sid, other, false);
    }
    for (const member of this.members) if (!member.isUp) this.start(member);
  }

  /** The common leader of all servers. */
  agreed(): number | undefined {
    const [first] = this.members;
    const leader = first?.leader;
    return this.members.every((member) => member.isUp && member.leader === leader)
      ? leader
      : undefined;
  }

  private makeElection(sid: number): FastLeaderElection {
    const waits = { minIntervalMs: 200, maxIntervalMs: MAX_INTERVAL_MS, finalizeWaitMs: 200 };
    return new FastLeaderElection({ sid, ...waits }, this.config);
  }

  private look(member: Member): void {
    member.leader = undefined;
    const { zxid, epoch } = member;
    member.election.lookForLeader(
      { zxid, epoch, isObserver: false, config: this.config },
      this.nowMs,
    );
    this.post(member);
  }

  private crash(member: Member): void {
    member.isUp = false;
    member.leader = undefined;
    for (const { sid } of this.members) this.breakConnection(member.sid, sid);
  }

  private start(member: Member): void {
    member.isUp = true;
    member.election = this.makeElection(member.sid);
    for (const { sid } of this.members) this.lastFrames.delete(`${member.sid}>${sid}`);
    this.look(member);
    for (const { sid } of this.members) this.reconnect(member.sid, sid);
  }

  private setCut(a: number, b: number, isCut: boolean): void {
    if (isCut === this.cut.has(pair(a, b))) return;
    if (isCut) {
      this.cut.add(pair(a, b));
      this.breakConnection(a, b);
    } else {
      this.cut.delete(pair(a, b));
      this.reconnect(a, b);
    }
  }

  private breakConnection(a: number, b: number): void {
    this.connections.set(pair(a, b), (this.connections.get(pair(a, b)) ?? 0) + 1);
  }

  private reconnect(a: number, b: number): void {
    for (const [from, to] of [
      [a, b],
      [b, a],
    ] as const) {
      const frame = this.lastFrames.get(`${from}>${to}`);
      if (frame !== undefined) this.send(from, to, frame);
    }
  }

  private isConnected(a: number, b: number): boolean {
    const areUp = [a, b].every((sid) => this.members[sid - 1]?.isUp === true);
    return areUp && !this.cut.has(pair(a, b));
  }

  private post(member: Member): void {
    for (const { to, frame } of member.election.takeOutgoing()) {
      this.lastFrames.set(`${member.sid}>${to}`, frame);
      this.send(member.sid, to, frame);
    }
  }

  private send(from: number, to: number, frame: Buffer): void {
    if (!this.isConnected(from, to)) return;
    const connection = this.connections.get(pair(from, to)) ?? 0;
    const before = this.parcels.filter((parcel) => parcel.from === from && parcel.to === to);
    const behindMs = Math.max(0, ...before.map(({ arrivesAtMs }) => arrivesAtMs));
    const arrivesAtMs = this.nowMs + 1 + this.random.below(this.faults.maxDelayMs);
    this.parcels.push({
      from,
      to,
      frame,
      connection,
      arrivesAtMs: Math.max(behindMs, arrivesAtMs),
    });
  }

  private deliver({ from, to, frame, connection }: Parcel): void {
    const member = this.members[to - 1];
    const isWhole = connection === (this.connections.get(pair(from, to)) ?? 0);
    if (member === undefined || !isWhole || !this.isConnected(from, to)) return;
    member.election.receive(from, frame, this.nowMs);
    this.post(member);
  }

  private turn(member: Member): void {
    member.election.tick(this.nowMs);
    if (member.election.takeElected() !== undefined) {
      member.givesUpAtMs = this.nowMs + PATIENCE_MS;
    }
    this.post(member);
    if (member.election.state === 'leading') this.lead(member);
    if (member.election.state === 'following') this.follow(member);
  }

  /** It leads while it can reach a quorum of followers. */
  private lead(member: Member): void {
    const followers = this.members.filter(
      (other) => other.election.vote.leader === member.sid && this.follows(other, member),
    );
    if ((followers.length + 1) * 2 > this.members.length) {
      member.givesUpAtMs = this.nowMs + PATIENCE_MS;
      if (member.leader === undefined) this.establish(member, followers);
    } else if (this.nowMs >= member.givesUpAtMs) {
      this.look(member);
    }
  }

  private establish(leader: Member, followers: readonly Member[]): void {
    const quorum = [leader, ...followers];
    const epoch = Math.max(...quorum.map((member) => member.epoch)) + 1;
    for (const member of quorum) member.epoch = epoch;
    leader.leader = leader.sid;
    leader.election.setPeerEpoch(epoch);
    this.leaders.set(epoch, (this.leaders.get(epoch) ?? new Set()).add(leader.sid));
  }

  private follow(member: Member): void {
    const leader = this.members[member.election.vote.leader - 1];
    const isEstablished = leader?.leader === leader?.sid && leader?.election.state === 'leading';
    if (leader !== undefined && isEstablished && this.isConnected(member.sid, leader.sid)) {
      member.givesUpAtMs = this.nowMs + PATIENCE_MS;
      if (member.leader === leader.sid) return;
      member.leader = leader.sid;
      member.epoch = leader.epoch;
      member.election.setPeerEpoch(leader.epoch);
    } else if (member.leader !== undefined || this.nowMs >= member.givesUpAtMs) {
      this.look(member);
    }
  }

  private follows(member: Member, leader: Member): boolean {
    return member.election.state === 'following' && this.isConnected(member.sid, leader.sid);
  }

  private nextMs(): number {
    const wakes = this.members.flatMap(({ isUp, election, givesUpAtMs }) => {
      if (!isUp) return [];
      return election.state === 'looking' ? [election.nextWakeMs] : [givesUpAtMs];
    });
    const next = Math.min(...wakes, ...this.parcels.map(({ arrivesAtMs }) => arrivesAtMs));
    return Math.max(this.nowMs + 1, next);
  }
}

function pair(a: number, b: number): string {
  return a < b ? `${a}-${b}` : `${b}-${a}`;
}
