import type { Random } from '../support/random.js';
import type { ServerNode } from './nodes/server-node.js';
import type { Simulation } from './simulation.js';

export interface FaultParts {
  readonly clients: readonly number[];
  /** Whether servers without a quorum serve reads. */
  readonly isReadOnlyAllowed: boolean;
  readonly areLeadersCutOff: boolean;
  /** Null: no operator moves the leader. */
  readonly moves: LeaderMoves | null;
  start(node: ServerNode): void;
  /** A client that is connected to the server. */
  clientAt(sid: number): number | undefined;
  /** The clients send nothing for a while, so that nothing waits. */
  hush(ms: number): void;
  /** For a while, one client asks whether its server is up to date, and the others write. */
  haste(asking: number): void;
}

/** An operator who asks any server to let any other lead. */
export interface LeaderMoves {
  readonly random: Random;
  /** How often a leader did so. */
  count: number;
}

const USUAL_DELAY_MS = 8;
const USUAL_DISK_MS = 6;
/** Long enough for an election among the others. */
const CUT_OFF_MS = 1500;
/** Long enough for the work in progress. */
const HUSH_MS = 150;
/** The number of restarts, and the time between them, of stopped servers after the faults. */
const RESTARTS = 5;
const RESTART_MS = 500;

/** Makes faults, several at once, and repairs them. */
export class FaultMaker {
  private readonly world: Simulation;
  private readonly random: Random;
  private readonly parts: FaultParts;
  private isOver = false;
  private isCutOff = false;

  constructor(world: Simulation, random: Random, parts: FaultParts) {
    this.world = world;
    this.random = random;
    this.parts = parts;
  }

  begin(): void {
    this.disturbLater();
    if (this.parts.moves !== null) this.moveLater(this.parts.moves);
  }

  private disturbLater(): void {
    const restMs = 20 + this.random.below(this.random.oneIn(4) ? 3000 : 700);
    this.world.scheduler.later(restMs, () => {
      if (this.isOver) return;
      this.disturb();
      this.disturbLater();
    });
  }

  private moveLater(moves: LeaderMoves): void {
    const { scheduler, servers } = this.world;
    scheduler.later(20 + moves.random.below(300), () => {
      if (this.isOver) return;
      const { sid } = moves.random.pick(servers);
      const answer = (problem: string): void => {
        if (problem === '') moves.count++;
      };
      for (const node of servers) node.step({ kind: 'move-leader', sid, answer });
      this.moveLater(moves);
    });
  }

  /** Repairs everything. */
  end(): void {
    this.isOver = true;
    const { network, servers } = this.world;
    network.healAll();
    network.maxDelayMs = USUAL_DELAY_MS;
    for (const node of servers) {
      node.disk.maxDelayMs = USUAL_DISK_MS;
      node.disk.error = null;
    }
    this.startAll(RESTARTS);
  }

  /** A server stops some time after a failed write, so this checks more than once. */
  private startAll(times: number): void {
    for (const node of this.world.servers) if (!node.isRunning) this.parts.start(node);
    if (times > 1) this.world.scheduler.later(RESTART_MS, () => this.startAll(times - 1));
  }

  private disturb(): void {
    const { random, world } = this;
    const node = random.pick(world.servers);
    if (this.parts.isReadOnlyAllowed && random.oneIn(6)) {
      this.loseQuorum();
      return;
    }
    if (this.isCutOff) return;
    if (this.parts.areLeadersCutOff && random.oneIn(2)) {
      this.cutOff(this.leader ?? node);
      return;
    }
    switch (random.below(18)) {
      case 0:
      case 1:
        this.crash(node);
        break;
      case 2:
        this.crash(this.leader ?? node);
        break;
      case 3:
        for (const other of world.servers) if (random.oneIn(2)) this.crash(other);
        break;
      case 4:
        this.partition();
        break;
      case 5:
        this.cutOneWay();
        break;
      case 6:
        this.note('a connection breaks');
        world.network.breakOne();
        break;
      case 7:
        this.slow(node);
        break;
      case 8:
        this.note(`${node.sid} pauses, and its clock is set`);
        node.pause(random.below(random.oneIn(4) ? 6000 : 1500));
        node.wallOffsetMs += random.below(120_000) - 60_000;
        break;
      case 9:
      case 10:
        this.isolate(this.leader ?? node);
        break;
      case 11:
        this.note('the network heals');
        world.network.healAll();
        break;
      case 12:
        this.failDisk(node);
        break;
      case 13:
      case 14:
      case 15:
        this.depose(this.leader ?? node);
        break;
      case 16:
        this.note(`the disk of ${node.sid} stalls`);
        node.disk.stall(random.below(5000));
        break;
      case 17:
        if (this.leader !== undefined) this.leader.disk.stall(random.below(3000));
        break;
    }
  }

  private get leader(): ServerNode | undefined {
    return this.world.servers.find(({ peer }) => peer?.isLeading);
  }

  private note(line: string): void {
    this.world.trace(`fault: ${line}`);
  }

  private later(run: () => void): void {
    const delayMs = 30 + this.random.below(this.random.oneIn(3) ? 4000 : 600);
    this.world.scheduler.later(delayMs, () => {
      if (!this.isOver) run();
    });
  }

  private crash(node: ServerNode): void {
    if (!node.isRunning) return;
    node.crash();
    this.later(() => {
      if (!node.isRunning) this.parts.start(node);
    });
  }

  /** Lasts long enough for the other servers to serve reads. */
  private loseQuorum(): void {
    const gone = this.world.servers.filter((_, at) => at % 3 !== 0);
    this.note('the quorum is lost');
    for (const node of gone) node.crash();
    this.world.scheduler.later(2500 + this.random.below(3000), () => {
      if (this.isOver) return;
      for (const node of gone) if (!node.isRunning) this.parts.start(node);
    });
  }

  /** Splits the servers, and the clients with them, into two sides. */
  private partition(): void {
    const sids = this.world.servers.map(({ sid }) => sid);
    const all = [...sids, ...this.parts.clients];
    const side = new Set(all.filter(() => this.random.oneIn(2)));
    this.note(`partition ${[...side].join(' ')} | ${all.filter((id) => !side.has(id)).join(' ')}`);
    for (const a of all) {
      for (const b of all) if (side.has(a) !== side.has(b)) this.world.network.cut(a, b);
    }
    this.later(() => this.world.network.healAll());
  }

  /**
   * Cuts a server off from the others. Its clients still reach it, so it accepts writes that no
   * other server receives.
   */
  private isolate(node: ServerNode): void {
    const { servers, network } = this.world;
    const others = servers.filter((other) => other !== node).map(({ sid }) => sid);
    const company = this.parts.clients.filter(() => this.random.oneIn(2));
    this.note(`only ${company.join(' ')} hears ${node.sid}`);
    for (const other of others) {
      network.cut(node.sid, other);
      for (const client of company) network.cut(client, other);
    }
    this.later(() => {
      if (this.random.oneIn(2)) this.crash(node);
      for (const other of others) {
        network.heal(node.sid, other);
        for (const client of company) network.heal(client, other);
      }
    });
  }

  /**
   * The others know at once that the leader is gone, and elect another one. It does not notice, and
   * a client asks it whether it is up to date.
   */
  private depose(leader: ServerNode): void {
    this.parts.hush(HUSH_MS);
    this.world.scheduler.later(HUSH_MS, () => {
      const asking = this.parts.clientAt(leader.sid);
      if (!this.isOver && asking !== undefined) this.hideFrom(leader.sid, asking);
    });
  }

  private hideFrom(sid: number, asking: number): void {
    const { servers, network } = this.world;
    const others = servers.map((other) => other.sid).filter((other) => other !== sid);
    const away = this.parts.clients.filter((id) => id !== asking);
    this.note(`${sid} is deposed, and ${asking} still hears it`);
    const cuts: [number, number][] = [
      ...others.flatMap((id): [number, number][] => [
        [sid, id],
        [id, sid],
        [asking, id],
      ]),
      ...away.map((id): [number, number] => [id, sid]),
    ];
    for (const [from, to] of cuts) network.cut(from, to);
    network.reset(sid, [...others, ...away]);
    this.parts.haste(asking);
    this.world.scheduler.later(1200 + this.random.below(2500), () => {
      if (this.isOver) return;
      for (const [from, to] of cuts) network.heal(from, to);
    });
  }

  /**
   * Cuts a leader and all clients off until the others elect another leader. Its clients write on.
   * The new leader truncates its log, because no txn of the new epoch is committed yet. A crash
   * soon after shows what the truncated log holds.
   */
  private cutOff(leader: ServerNode): void {
    const { servers, network, scheduler } = this.world;
    const others = servers.filter((other) => other !== leader).map(({ sid }) => sid);
    const { clients } = this.parts;
    this.note(`only clients hear ${leader.sid}`);
    this.isCutOff = true;
    for (const other of others) {
      for (const id of [leader.sid, ...clients]) network.cut(id, other);
    }
    scheduler.later(CUT_OFF_MS + this.random.below(CUT_OFF_MS), () => {
      for (const other of others) network.heal(leader.sid, other);
    });
    scheduler.later(3 * CUT_OFF_MS, () => {
      if (this.isOver) return;
      this.isCutOff = false;
      for (const other of others) for (const client of clients) network.heal(client, other);
      if (this.random.oneIn(2)) this.crash(leader);
    });
  }

  private cutOneWay(): void {
    const { servers, network } = this.world;
    const from = this.random.pick(servers).sid;
    const to = this.random.pick(servers).sid;
    this.note(`${to} does not hear ${from}`);
    network.cut(from, to);
    this.later(() => network.heal(from, to));
  }

  /** Makes writes fail for a while. A server that stops because of it is restarted. */
  private failDisk(node: ServerNode): void {
    const { disk } = node;
    disk.error = this.random.oneIn(3) ? 'EIO' : 'ENOSPC';
    this.note(`the disk of ${node.sid} fails: ${disk.error}`);
    this.later(() => {
      disk.error = null;
      if (!node.isRunning) this.parts.start(node);
    });
  }

  private slow(node: ServerNode): void {
    const { network } = this.world;
    const isDisk = this.random.oneIn(2);
    this.note(isDisk ? `the disk of ${node.sid} is slow` : 'the network is slow');
    if (isDisk) node.disk.maxDelayMs = 50 + this.random.below(400);
    else network.maxDelayMs = 20 + this.random.below(150);
    this.later(() => {
      node.disk.maxDelayMs = USUAL_DISK_MS;
      network.maxDelayMs = USUAL_DELAY_MS;
    });
  }
}
