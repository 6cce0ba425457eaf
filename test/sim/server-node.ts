import { Run } from '../../src/jute/run.js';
import type { Effect } from '../../src/server/effects.js';
import type { Event } from '../../src/server/events.js';
import type { QuorumConfig } from '../../src/server/quorum/quorum-config.js';
import type { QuorumLimits } from '../../src/server/quorum/role.js';
import type { Random } from '../support/random.js';
import type { SimDisk } from './disk.js';
import type { Network } from './network.js';
import { NodeSockets } from './node-sockets.js';
import { commonParts, TICK_MS } from './peer-parts.js';
import type { Scheduler, Timer } from './scheduler.js';
import { readTxns, recover } from './stored-files.js';
import { type Delivered, WatchedLog, WatchedPeer } from './watched-peer.js';

export interface NodeParts {
  readonly disk: SimDisk;
  readonly random: Random;
  readonly limits: QuorumLimits;
  readonly isReconfigEnabled: boolean;
}

/** What a node asks of the world that it is in. */
export interface NodeWorld {
  readonly scheduler: Scheduler;
  readonly network: Network;
  node(sid: number): ServerNode | undefined;
  /** A txn went into its committed log. */
  delivered(node: ServerNode, txn: Delivered): void;
  /** A quorum is in sync with it: it leads. */
  leads(node: ServerNode): void;
  /** A turn is over; what it sent is on its way. */
  turned(node: ServerNode): void;
  /** What goes out to a client. */
  sending(bytes: Buffer): Buffer;
  /** It cannot go on: what it says of its disk, or of itself, is an error. */
  failed(node: ServerNode, error: unknown): void;
  trace(line: string): void;
}

/** One server: the real core, driven as node/driver.ts drives it, and what a crash takes away. */
export class ServerNode {
  readonly sid: number;
  readonly disk: SimDisk;
  peer: WatchedPeer | null = null;
  /** Its clock runs by this factor. */
  readonly clockRate: number;
  wallOffsetMs = 0;
  readonly notes: string[] = [];
  /** The last txn that it knows of, which is never that of no txn. */
  lastReal = 0n;
  /** Where a snapshot or a truncation brought it last, since it started. */
  replacedZxid = 0n;
  private readonly world: NodeWorld;
  private readonly config: QuorumConfig;
  private readonly random: Random;
  private readonly parts: NodeParts;
  private inbox: Event[] = [];
  private isTurnAsked = false;
  private pausedUntilMs = 0;
  private bootMs = 0;
  private wake: Timer | null = null;
  /** The connections of this life. */
  sockets: NodeSockets;
  /** The newest frame for each server. */
  private lastFrames = new Map<number, Buffer>();

  constructor(world: NodeWorld, sid: number, config: QuorumConfig, parts: NodeParts) {
    this.world = world;
    this.parts = parts;
    this.sid = sid;
    this.config = config;
    this.disk = parts.disk;
    this.random = parts.random;
    this.clockRate = 0.9 + parts.random.below(21) / 100;
    this.sockets = this.newSockets();
  }

  /** What comes on the connections of another life is not heard. */
  private newSockets(): NodeSockets {
    const sockets: NodeSockets = new NodeSockets(this.world, this.sid, (event) => {
      if (this.sockets === sockets) this.step(event);
    });
    return sockets;
  }

  get isUp(): boolean {
    return this.peer !== null;
  }

  start(): void {
    const { scheduler } = this.world;
    try {
      const { database, entries, acceptedEpoch, currentEpoch } = recover(this.disk.files);
      const committedLog = new WatchedLog();
      for (const { zxid, entry } of entries) committedLog.add(zxid, new Run(entry));
      committedLog.onAdd = (txn) => {
        this.lastReal = txn.zxid;
        this.world.delivered(this, txn);
      };
      this.lastReal = database.tree.lastProcessedZxid;
      this.replacedZxid = 0n;
      this.bootMs = scheduler.nowMs;
      this.inbox = [];
      this.pausedUntilMs = 0;
      this.peer = new WatchedPeer({
        ...commonParts(this.parts),
        sid: this.sid,
        config: this.disk.config ?? this.config,
        acceptedEpoch,
        currentEpoch,
        data: { tree: database.tree, sessions: [...database.sessions.values()] },
        committedLog,
        replayed: entries.length,
        seed: this.random.below(1 << 30),
      });
      this.peer.onLeading = () => this.world.leads(this);
      this.peer.onReplaced = ({ tree }) => {
        this.lastReal = tree.lastProcessedZxid;
        this.replacedZxid = this.lastReal;
      };
    } catch (error) {
      this.world.failed(this, error);
      return;
    }
    this.world.trace(`${this.sid} starts at ${this.lastReal.toString(16)}`);
    this.askTurn();
    this.tickLater(this.peer);
  }

  crash(): void {
    if (this.peer === null) return;
    this.peer = null;
    this.disk.crash();
    this.sockets = this.newSockets();
    this.lastFrames = new Map();
    this.wake?.cancel();
    this.world.network.crash(this.sid);
    this.world.trace(`${this.sid} crashes`);
  }

  /** It does nothing for a while, as in a long collection of garbage. */
  pause(ms: number): void {
    this.pausedUntilMs = this.world.scheduler.nowMs + ms;
  }

  step(event: Event): void {
    if (this.peer === null) return;
    this.inbox.push(event);
    this.askTurn();
  }

  /** The newest frame for a server, if there is one: the connection with it was made anew. */
  resend(to: number): void {
    const frame = this.lastFrames.get(to);
    if (frame !== undefined) this.post(to, frame);
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
    const { scheduler } = this.world;
    const { peer } = this;
    scheduler.later(Math.max(0, this.pausedUntilMs - scheduler.nowMs), () => {
      this.isTurnAsked = false;
      if (peer === null || this.peer !== peer) {
        if (this.peer !== null) this.askTurn();
      } else if (scheduler.nowMs < this.pausedUntilMs) {
        this.askTurn();
      } else {
        this.turn(peer);
      }
    });
  }

  private turn(peer: WatchedPeer): void {
    const { scheduler } = this.world;
    const events = this.inbox;
    this.inbox = [];
    try {
      const wallMs = Math.floor(1_800_000_000_000 + this.wallOffsetMs + scheduler.nowMs);
      peer.step({ kind: 'clock', wallMs, monotonicMs: this.monotonicMs });
      for (const event of events) peer.step(event);
      for (let effects = peer.drain(); effects.length > 0; effects = peer.drain()) {
        for (const effect of effects) this.perform(effect);
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

  private perform(effect: Effect): void {
    const { peer, disk } = this;
    const step = (event: Event): void => {
      if (this.peer === peer) this.step(event);
    };
    switch (effect.kind) {
      case 'send':
        this.sockets.send(effect.connection, this.world.sending(effect.bytes));
        break;
      case 'close':
        this.sockets.close(effect.connection);
        break;
      case 'append':
        disk.append(effect.bytes, effect.firstZxid, () => step(effect.whenDurable));
        break;
      case 'write-epoch':
        disk.writeEpoch(effect, () => step(effect.whenDurable));
        break;
      case 'truncate':
        disk.truncate(effect.zxid, (found) => {
          if (found instanceof Error) this.world.failed(this, found);
          else step({ kind: 'truncated', database: found });
        });
        break;
      case 'install-snapshot':
        disk.install(effect.content, () => step(effect.whenDurable));
        break;
      case 'write-config':
        disk.writeConfig(effect.text);
        break;
      case 'snapshot':
        disk.takeSnapshot(effect.content);
        break;
      case 'wake':
        this.askTurn();
        break;
      case 'report':
        if (effect.report.kind === 'quorum') this.note(effect.report.message);
        break;
      case 'notify':
        this.lastFrames.set(effect.sid, effect.frame);
        this.post(effect.sid, effect.frame);
        break;
      case 'observer-port':
        this.sockets.isObserverPortOpen = effect.isOpen;
        break;
      case 'link-dial':
        this.sockets.dial(effect);
        break;
      case 'link-send':
        this.sockets.send(effect.link, effect.bytes);
        break;
      case 'link-snapshot':
        this.sockets.sendSnapshot(effect);
        break;
      case 'search-log':
        disk.searchLog(effect.range, (place) => {
          step({ kind: 'log-searched', link: effect.link, until: effect.range.until, place });
        });
        break;
      case 'link-log':
        this.sockets.sendTxns(effect, readTxns(this.disk.files, effect.range));
        break;
      case 'link-close':
        this.sockets.close(effect.link);
        break;
      default:
        break;
    }
  }

  private note(message: string): void {
    this.notes.push(message);
    this.world.trace(`${this.sid} says: ${message}`);
  }

  // ── other servers ────────────────────────────────────────────────────────────────────────────

  private post(to: number, frame: Buffer): void {
    const { network, scheduler } = this.world;
    const { peer } = this;
    scheduler.later(network.delayMs(), () => {
      const isNewest = this.peer === peer && this.lastFrames.get(to) === frame;
      if (!isNewest || network.isCut(this.sid, to) || network.isCut(to, this.sid)) return;
      this.world.node(to)?.step({ kind: 'notified', sid: this.sid, frame });
    });
  }
}
