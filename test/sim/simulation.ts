import { createHash } from 'node:crypto';
import { judge } from '../history/judge.js';
import { Random } from '../support/random.js';
import { AGED_ZXID, putAgedData, SEQUENCE } from './aged-data.js';
import { Checks } from './checks.js';
import { ClientNode } from './clients/client-node.js';
import type { ClientWorld } from './clients/client-world.js';
import { Recording } from './clients/recording.js';
import { Workload } from './clients/workload.js';
import { FaultMaker, type LeaderMoves } from './fault-maker.js';
import { History } from './history.js';
import { Ledger } from './ledger.js';
import { describeServers } from './nodes/describe-servers.js';
import { Network } from './nodes/network.js';
import type { StorageTraits } from './nodes/node-storage.js';
import { INIT_LIMIT, TICK_MS } from './nodes/peer-parts.js';
import { type NodeWorld, ServerNode } from './nodes/server-node.js';
import { SimDisk } from './nodes/sim-disk.js';
import { oracleOf, type SimOracle } from './nodes/sim-oracle.js';
import type { Plant } from './plants/plant.js';
import { Probe } from './probe.js';
import { Scheduler, settled } from './scheduler.js';
import { everybody, firstConfig, limitsOf, type Shape, traitsOf } from './shape.js';
import { Violation } from './violation.js';
import { areLevel, compareAll, proposedBy } from './whole-ensemble.js';

export interface SimulationOptions extends Shape {
  readonly seed: number;
  /** Steps of the simulation with faults, before it must recover. */
  readonly steps: number;
  readonly clients?: number;
  readonly plant?: Plant;
  readonly onTrace?: (line: string) => void;
}

export interface Outcome {
  /** Null if the run passed. */
  readonly violation: string | null;
  /** SHA-256 of the trace, which depends only on the seed. */
  readonly traceHash: string;
  readonly steps: number;
  readonly simulatedMs: number;
  readonly writes: number;
  readonly reads: number;
  readonly epochs: number;
  readonly txns: number;
  /** Committed changes of the membership. */
  readonly reconfigs: number;
  /** Reads answered without a quorum. */
  readonly readOnlyReads: number;
  /** Sessions without a txn. */
  readonly localSessions: number;
  /** How often the oracle let one of two voters go on alone. */
  readonly grants: number;
  /** How often a leader handed over to the member that an operator named. */
  readonly moves: number;
}

/** From the last repair until every server serves and a write is done. */
export const RECOVERY_MS = 16 * INIT_LIMIT * TICK_MS;
const QUIET_MS = 4 * TICK_MS;
/**
 * One run: an ensemble and its clients have faults for a while, and then must recover without
 * faults.
 */
export class Simulation implements NodeWorld, ClientWorld {
  readonly scheduler = new Scheduler();
  readonly network: Network;
  readonly history: History;
  readonly recording: Recording;
  readonly servers: ServerNode[];
  private readonly options: SimulationOptions;
  private readonly ledger: Ledger;
  private readonly oracle: SimOracle | null;
  private readonly moves: LeaderMoves | null;
  private readonly checks: Checks;
  private readonly clients: { readonly node: ClientNode; readonly workload: Workload }[];
  private readonly faults: FaultMaker;
  private readonly hash = createHash('sha256');
  private readonly traits: StorageTraits;
  readonly lies: { readonly random: Random; oneIn: number };
  private violation: string | null = null;
  private epochs = 0;
  /** The last zxid that any leader has proposed, also one that has crashed since. */
  lastProposed: bigint;

  constructor(options: SimulationOptions) {
    const { seed, clients = 3, plant = {}, spares = 0, isReadOnlyAllowed = false } = options;
    const { isAged = false, oracle: kind = 'none' } = options;
    this.options = options;
    const random = (stream: number) => new Random(seed * 16 + stream);
    this.network = new Network(this.scheduler, random(0));
    this.lies = { random: random(7), oneIn: options.liesOneIn ?? 0 };
    const all = everybody(options);
    const made = isAged ? ['/', SEQUENCE] : ['/'];
    this.recording = new Recording(() => this.scheduler.nowMs, made);
    const hasLocalSessions = (options.sessions ?? 'global') !== 'global';
    const now = () => this.scheduler.nowMs;
    this.lastProposed = isAged ? AGED_ZXID : 0n;
    this.ledger = new Ledger(firstConfig(all, options), this.lastProposed, {
      now,
      hasLocalSessions,
      hasObserverMasters: options.hasObserverMasters ?? false,
    });
    this.history = new History(this.ledger);
    this.oracle = oracleOf(kind, this, random(6));
    this.checks = new Checks(this.ledger, () => this.servers, this.oracle);
    const diskRandom = random(1);
    const isReconfigEnabled = spares > 0;
    this.traits = traitsOf(options);
    this.network.linkRate = options.linkRate ?? 0;
    const { traits, oracle } = this;
    const { isKeeperDialect = false } = options;
    const shared = {
      limits: limitsOf(options),
      isReconfigEnabled,
      isKeeperDialect,
      oracle,
      traits,
    };
    this.servers = [...all.members.keys()].map((sid) => {
      const disk = new SimDisk(this.scheduler, diskRandom, plant.diskManners);
      if (isAged) putAgedData(disk);
      const known = firstConfig(all, options, sid);
      const config = plant.configOf?.(known, sid) ?? known;
      const { onDisk } = plant;
      const parts = { disk, random: random(2), onDisk, ...shared };
      return new ServerNode(this, sid, config, parts);
    });
    const clientRandom = random(3);
    this.clients = Array.from({ length: clients }, (_, at) => {
      const canBeReadOnly = isReadOnlyAllowed && at % 2 === 1;
      const node = new ClientNode(this, 101 + at, clientRandom, canBeReadOnly);
      const parts = {
        history: this.history,
        scheduler: this.scheduler,
        random: clientRandom,
        joiners: isReconfigEnabled ? [...all.members.values()] : [],
        valueBytes: options.valueBytes ?? 0,
        isOfKeeper: isKeeperDialect,
        other: () => clientRandom.pick(this.clients).node,
      };
      return { node, workload: new Workload(node, parts) };
    });
    this.network.whenHealed((from, to) => this.node(from)?.resend(to));
    this.moves = options.areLeadersMoved === true ? { random: random(8), count: 0 } : null;
    this.faults = new FaultMaker(this, random(4), {
      clients: this.clients.map(({ node }) => node.id),
      isReadOnlyAllowed,
      areLeadersCutOff: options.areLeadersCutOff ?? false,
      moves: this.moves,
      start: (node) => this.start(node, random(5)),
      clientAt: (sid) => this.clients.find(({ node }) => node.isOpen && node.at === sid)?.node.id,
      hush: (ms) => this.clients.forEach(({ workload }) => void workload.hush(ms)),
      haste: (asking) =>
        this.clients.forEach(({ node, workload }) => void workload.haste(node.id === asking)),
    });
  }

  async run(): Promise<Outcome> {
    for (const node of this.servers) this.start(node, null);
    for (const { node } of this.clients) node.start();
    this.makeRoots();
    for (const { workload } of this.clients) workload.start();
    this.faults.begin();
    await this.runWhile(() => this.scheduler.steps < this.options.steps);
    this.faults.end();
    this.lies.oneIn = 0;
    await this.recoverAll();
    return {
      violation: this.violation,
      traceHash: this.hash.digest('hex'),
      steps: this.scheduler.steps,
      simulatedMs: Math.round(this.scheduler.nowMs),
      writes: this.history.writes,
      reads: this.history.reads,
      epochs: this.epochs,
      txns: this.ledger.size,
      reconfigs: this.ledger.reconfigs,
      readOnlyReads: this.history.readOnlyReads,
      localSessions: this.ledger.localSessions,
      grants: this.oracle?.grants ?? 0,
      moves: this.moves?.count ?? 0,
    };
  }

  // ── the world of the nodes ───────────────────────────────────────────────────────────────────

  node(sid: number): ServerNode | undefined {
    return this.servers.find((node) => node.sid === sid);
  }

  delivered(node: ServerNode, txn: { readonly zxid: bigint; readonly entry: Buffer }): void {
    this.guard(() => this.checks.delivered(node, txn));
  }

  leads(node: ServerNode): void {
    this.guard(() => this.checks.leads(node));
  }

  decided(node: ServerNode): void {
    this.guard(() => this.checks.decided(node));
  }

  turned(node: ServerNode): void {
    this.options.plant?.onTurn?.(node);
    this.guard(() => this.checks.turned(node));
    this.epochs = Math.max(this.epochs, node.peer?.currentEpoch ?? 0);
    const proposed = proposedBy(node);
    if (proposed > this.lastProposed) this.lastProposed = proposed;
    const { peer } = node;
    this.trace(
      `${node.sid} ${peer?.role?.kind} ${peer?.role?.phase} ${peer?.data.tree.lastProcessedZxid.toString(16)}`,
    );
  }

  sending(bytes: Buffer): Buffer {
    return this.options.plant?.onSend?.(bytes) ?? bytes;
  }

  /** No client is super, and a reconfig requires it. */
  get isAclChecked(): boolean {
    return (this.options.spares ?? 0) === 0;
  }

  lastZxidSeen(zxid: bigint): bigint {
    return this.options.plant?.lastZxidSeen?.(zxid) ?? zxid;
  }

  started(node: ServerNode): void {
    this.guard(() => this.checks.started(node));
    for (const other of this.servers) if (other !== node) other.resend(node.sid);
  }

  blocked(node: ServerNode, ms: number): void {
    node.pause(ms);
    if (this.servers.length > 1 && ms > TICK_MS)
      this.fail(`server ${node.sid} waits ${Math.round(ms)} ms for its disk, and serves nobody`);
  }

  wroteSnapshot(node: ServerNode, file: string): void {
    this.guard(() => this.checks.wroteSnapshot(node, file));
  }

  failed(node: ServerNode, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.fail(`server ${node.sid} stops: ${reason}`);
  }

  guard(run: () => void): void {
    try {
      run();
    } catch (error) {
      if (error instanceof Violation) this.fail(error.message);
      else if (this.violation === null) throw error;
    }
  }

  trace(line: string): void {
    const text = `${this.scheduler.nowMs} ${line}`;
    this.hash.update(`${text}\n`);
    this.options.onTrace?.(text);
  }

  private fail(message: string): void {
    if (this.violation !== null) return;
    this.violation = message;
    this.trace(`VIOLATION: ${message}`);
  }

  // ── the course of a run ──────────────────────────────────────────────────────────────────────

  /** Settles all promises between two steps, so that a run repeats exactly. */
  private async runWhile(isGoingOn: () => boolean): Promise<void> {
    while (this.violation === null && isGoingOn() && this.scheduler.step()) await settled();
  }

  private start(node: ServerNode, random: Random | null): void {
    if (random !== null) this.options.plant?.onRestart?.(node, random);
    node.start();
  }

  /** The first client creates the shared znodes, with as many attempts as needed. */
  private makeRoots(): void {
    const [first] = this.clients;
    if (first === undefined) return;
    first.node.onOpen = () => first.workload.makeRoots();
  }

  private async recoverAll(): Promise<void> {
    const untilMs = this.scheduler.nowMs + RECOVERY_MS;
    const probe = new Probe(this.scheduler, this.clients, untilMs);
    probe.begin();
    const isRecovered = () =>
      probe.isWritten && this.servers.every(({ peer }) => peer?.isEstablished);
    await this.runWhile(() => this.scheduler.nowMs < untilMs && !isRecovered());
    if (!isRecovered())
      this.fail(`no progress within ${RECOVERY_MS} ms: ${describeServers(this.servers)}`);
    for (const { workload } of this.clients) workload.isOver = true;
    const quietMs = this.scheduler.nowMs + QUIET_MS;
    await this.runWhile(() => this.scheduler.nowMs < quietMs);
    // Sessions may still expire one by one, and a member may still repair its tree.
    await this.runWhile(
      () => this.scheduler.nowMs < quietMs + RECOVERY_MS && !areLevel(this.servers),
    );
    if (this.violation === null) {
      const { checks, traits } = this;
      const fail = (message: string) => this.fail(message);
      await compareAll(this.servers, { checks, traits, fail });
    }
    const [verdict] = judge(this.recording.recorder.history);
    if (verdict !== undefined) this.fail(`${verdict.property}: ${verdict.message}`);
  }
}
