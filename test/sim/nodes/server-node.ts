import { basename } from 'node:path';
import type { Event } from '../../../src/server/events.js';
import type { ConfigKeeper } from '../../../src/server/node/boot/config-file.js';
import type { Disk } from '../../../src/server/node/storage/disk.js';
import { SnapshotTrigger } from '../../../src/server/pipeline/snapshot-trigger.js';
import type { QuorumConfig } from '../../../src/server/quorum/membership/quorum-config.js';
import type { QuorumLimits } from '../../../src/server/quorum/peer/role.js';
import type { Random } from '../../support/random.js';
import { type Delivered, WatchedLog, WatchedPeer } from '../clients/watched-peer.js';
import type { Scheduler, Timer } from '../scheduler.js';
import type { Network } from './network.js';
import { NewestFrames } from './newest-frames.js';
import { NodeSockets } from './node-sockets.js';
import { type Booted, boot, type StorageTraits } from './node-storage.js';
import { commonParts, TICK_MS } from './peer-parts.js';
import { type Hands, performEffect } from './perform-effect.js';
import type { SimDisk } from './sim-disk.js';
import type { SimOracle } from './sim-oracle.js';

export interface NodeParts {
  readonly disk: SimDisk;
  readonly random: Random;
  readonly limits: QuorumLimits;
  readonly isReconfigEnabled: boolean;
  readonly isKeeperDialect: boolean;
  readonly traits: StorageTraits;
  readonly oracle: SimOracle | null;
  /** Receives its disk requests. */
  readonly onDisk?: ((disk: Disk, node: ServerNode) => void) | undefined;
}

/** The callbacks of a node to its world. */
export interface NodeWorld {
  readonly scheduler: Scheduler;
  readonly network: Network;
  readonly lastProposed: bigint;
  readonly lies: { readonly random: Random; readonly oneIn: number };
  node(sid: number): ServerNode | undefined;
  guard(run: () => void): void;
  /** A txn was added to its committed log. */
  delivered(node: ServerNode, txn: Delivered): void;
  leads(node: ServerNode): void;
  decided(node: ServerNode): void;
  turned(node: ServerNode): void;
  sending(bytes: Buffer): Buffer;
  /** It has read its data and takes part from now on. */
  started(node: ServerNode): void;
  /** A member that cannot continue. Any reason except a planted disk fault is an error. */
  failed(node: ServerNode, error: unknown): void;
  /** The process waits for a stalled disk. */
  blocked(node: ServerNode, ms: number): void;
  wroteSnapshot(node: ServerNode, file: string): void;
  trace(line: string): void;
}

/** Low, so that a snapshot is being written most of the time. */
const SNAPSHOTS = { snapCount: 40, snapSize: 0 };

function lengthOf(entries: Booted['entries']): number {
  return entries.reduce((sum, { entry }) => sum + entry.length, 0);
}

/** One server: the real core, driven as in node/driver/driver.ts, with the effects of a crash. */
export class ServerNode {
  readonly sid: number;
  readonly disk: SimDisk;
  peer: WatchedPeer | null = null;
  /** Its clock runs by this factor. */
  readonly clockRate: number;
  wallOffsetMs = 0;
  readonly notes: string[] = [];
  /** The last txn that it has, or that it acknowledged as part of a snapshot. */
  lastReal = 0n;
  /** The zxid of the last snapshot or truncation since its start. */
  replacedZxid = 0n;
  private readonly world: NodeWorld;
  private readonly config: QuorumConfig;
  private readonly random: Random;
  private readonly parts: NodeParts;
  /** A new one for each life, or null while the server is down. */
  private life: object | null = null;
  private hands: Hands | null = null;
  private inbox: Event[] = [];
  private events: readonly Event[] = [];
  private isTurnAsked = false;
  private pausedUntilMs = 0;
  private bootMs = 0;
  private wake: Timer | null = null;
  sockets: NodeSockets;
  private readonly frames: NewestFrames;

  constructor(world: NodeWorld, sid: number, config: QuorumConfig, parts: NodeParts) {
    this.world = world;
    this.parts = parts;
    this.sid = sid;
    this.config = config;
    this.disk = parts.disk;
    this.random = parts.random;
    this.clockRate = 0.9 + parts.random.below(21) / 100;
    this.sockets = this.newSockets();
    this.frames = new NewestFrames(world, sid);
    this.disk.onBlocked = (ms) => this.world.blocked(this, ms);
  }

  /** Ignores events on the connections of another life. */
  private newSockets(): NodeSockets {
    const sockets: NodeSockets = new NodeSockets(this.world, this.sid, (event) => {
      if (this.sockets === sockets) this.step(event);
    });
    return sockets;
  }

  get isUp(): boolean {
    return this.peer !== null;
  }

  /** Whether a process exists that serves or reads its data. */
  get isRunning(): boolean {
    return this.life !== null;
  }

  start(): void {
    if (this.life !== null) return;
    const life = {};
    this.life = life;
    const onFatal = (error: unknown): void => {
      if (this.life === life) this.stopped(error);
    };
    const onWarning = (message: string) => this.warned(life, message);
    const onSnapshot = (path: string) => {
      if (this.life === life) this.world.wroteSnapshot(this, basename(path));
    };
    const neededZxid = () => (this.life === life ? (this.peer?.role?.neededZxid ?? null) : null);
    const listener = { onWarning, onFatal, onSnapshot, neededZxid };
    boot(this.disk, this.sid, listener, this.parts.traits).then((booted) => {
      if (this.life === life) this.begin(booted);
    }, onFatal);
  }

  private begin({
    database,
    entries,
    acceptedEpoch,
    currentEpoch,
    config,
    nextConfig,
    ...storage
  }: Booted) {
    const { scheduler } = this.world;
    const committedLog = new WatchedLog();
    for (const { zxid, entry } of entries) committedLog.add(zxid, entry);
    committedLog.onAdd = (txn) => {
      this.lastReal = txn.zxid;
      this.world.delivered(this, txn);
    };
    this.parts.onDisk?.(storage.disk, this);
    this.lastReal = database.tree.lastProcessedZxid;
    this.replacedZxid = 0n;
    this.bootMs = scheduler.nowMs;
    this.inbox = [];
    this.pausedUntilMs = 0;
    const seed = this.random.below(1 << 30);
    const logged = { txns: entries.length, bytes: lengthOf(entries) };
    const peer = new WatchedPeer({
      ...commonParts({ ...this.parts, isDigestEnabled: this.parts.traits.isDigestEnabled }),
      sid: this.sid,
      config: config ?? this.config,
      nextConfig,
      acceptedEpoch,
      currentEpoch,
      data: { tree: database.tree, sessions: [...database.sessions.values()] },
      committedLog,
      snapshots: new SnapshotTrigger({ ...SNAPSHOTS, growth: (seed % 3) / 2 }, seed, logged),
      seed,
    });
    this.peer = peer;
    this.hands = this.makeHands(peer, storage);
    peer.onLeading = () => this.world.leads(this);
    peer.onReplaced = ({ tree }) => {
      this.lastReal = tree.lastProcessedZxid;
      this.replacedZxid = this.lastReal;
    };
    this.world.trace(`${this.sid} starts at ${this.lastReal.toString(16)}`);
    this.askTurn();
    this.tickLater(peer);
    this.world.started(this);
  }

  private warned(life: object, message: string): void {
    if (this.life === life) this.world.trace(`${this.sid} warns: ${message}`);
  }

  /** A process stops if its disk fails. Any other stop is a fault. */
  private stopped(error: unknown): void {
    if (this.disk.hasFailed) this.crash();
    else this.world.failed(this, error);
  }

  crash(): void {
    if (this.life === null) return;
    this.life = null;
    this.peer = null;
    this.hands = null;
    this.disk.crash();
    this.sockets = this.newSockets();
    this.frames.clear();
    this.wake?.cancel();
    this.world.network.crash(this.sid);
    this.world.trace(`${this.sid} crashes`);
  }

  /** Pauses, as in a long garbage collection. */
  pause(ms: number): void {
    this.pausedUntilMs = this.world.scheduler.nowMs + ms;
  }

  step(event: Event): void {
    if (this.peer === null) return;
    this.inbox.push(event);
    this.askTurn();
  }

  /** Sends the newest frame for a server, if there is one, on a new connection. */
  resend(to: number): void {
    this.frames.resend(to);
  }

  // ── turns ────────────────────────────────────────────────────────────────────────────────────

  private get monotonicMs(): number {
    return Math.floor((this.world.scheduler.nowMs - this.bootMs) * this.clockRate) + 1000;
  }

  private tickLater(peer: WatchedPeer): void {
    this.world.scheduler.later(TICK_MS / 2, () => {
      if (this.peer !== peer) return;
      this.askTurn();
      this.tickLater(peer);
    });
  }

  private askTurn(): void {
    if (this.isTurnAsked) return;
    this.isTurnAsked = true;
    const { peer } = this;
    const { scheduler } = this.world;
    scheduler.later(Math.max(0, this.pausedUntilMs - scheduler.nowMs), () => {
      this.isTurnAsked = false;
      const isOther = peer === null || this.peer !== peer;
      if (!isOther && scheduler.nowMs >= this.pausedUntilMs) this.turn(peer);
      else if (this.peer !== null) this.askTurn();
    });
  }

  private turn(peer: WatchedPeer): void {
    const { scheduler } = this.world;
    const events = this.inbox;
    this.inbox = [];
    this.events = events;
    try {
      const wallMs = Math.floor(1_800_000_000_000 + this.wallOffsetMs + scheduler.nowMs);
      peer.step({ kind: 'clock', wallMs, monotonicMs: this.monotonicMs });
      for (const event of events) peer.step(event);
      for (let effects = peer.drain(); effects.length > 0; effects = peer.drain()) {
        if (this.hands === null) return;
        this.world.decided(this);
        for (const effect of effects) performEffect(effect, this.hands);
      }
      this.world.turned(this);
    } catch (error) {
      this.world.failed(this, error);
      return;
    }
    this.wake?.cancel();
    const waitMs = (peer.nextWakeMs - this.monotonicMs) / this.clockRate;
    if (Number.isFinite(waitMs)) {
      this.wake = scheduler.later(Math.max(1, Math.ceil(waitMs)), () => this.askTurn());
    }
  }

  private makeHands(
    peer: WatchedPeer,
    storage: { readonly disk: Disk; readonly keeper: ConfigKeeper },
  ): Hands {
    const node = this;
    return {
      ...storage,
      get events() {
        return node.events.length;
      },
      sockets: this.sockets,
      step: (event) => {
        if (this.peer === peer) this.step(event);
      },
      askTurn: () => this.askTurn(),
      sending: (bytes) => this.world.sending(bytes),
      note: (message) => this.note(message),
      notify: (sid, frame) => this.frames.notify(sid, frame),
      askOracle: (answer) => this.parts.oracle?.ask(this.sid, answer),
      isPurging: () => this.random.oneIn(4),
      failed: (error) => this.world.failed(this, error),
    };
  }

  private note(message: string): void {
    this.notes.push(message);
    this.world.trace(`${this.sid} says: ${message}`);
  }
}
