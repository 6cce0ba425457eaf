import type { Effect } from '../../../../src/server/effects.js';
import type { Event } from '../../../../src/server/events.js';
import { SnapshotTrigger } from '../../../../src/server/pipeline/snapshot-trigger.js';
import type { QuorumConfig } from '../../../../src/server/quorum/membership/quorum-config.js';
import type { QuorumLimits } from '../../../../src/server/quorum/peer/role.js';
import { QuorumPeer } from '../../../../src/server/quorum/quorum-peer.js';
import { commonParts, LIMITS } from '../../../sim/nodes/peer-parts.js';
import { parse } from '../../../sim/shape.js';
import { type HandshakeOptions, handshake, Peer } from '../../server-peer.js';
import { type EnsembleOptions, linesOf, type Member } from './ensemble-options.js';
import {
  copyOf,
  emptyDisk,
  entriesOf,
  performOther,
  restore,
  searchEntries,
  truncate,
} from './memory-disk.js';
import { type HeldLink, type LinkNews, type Receive, WorldLinks } from './world-links.js';

const TICK_MS = 1000;

/**
 * An ensemble without sockets, disks, or clocks. Messages arrive at once and in order, unless
 * sender and receiver are cut off from each other. Disks work unless they are held.
 */
export class EnsembleWorld {
  readonly members = new Map<number, Member>();
  readonly links: WorldLinks;
  /** The members whose next start is with keeperDialect. */
  readonly ofKeeper = new Set<number>();
  private readonly config: QuorumConfig;
  /** The configuration of the first members. */
  private readonly initial: QuorumConfig;
  /** Called before the result of a search, a snapshot, or a log is sent. */
  onSearched = (): void => undefined;
  onSnapshotSent = (): void => undefined;
  onLogSent = (): void => undefined;
  private readonly hasOracle: boolean;
  private nextId = 1;
  private wallMs = 1_800_000_000_000;
  private nowMs = 1000;
  readonly isReconfigEnabled: boolean;
  private readonly limits: QuorumLimits;
  private readonly keptTxns: number | undefined;
  private readonly maxLogBytes: number;

  constructor(size: number, observers = 0, options: EnsembleOptions = {}) {
    const { initial, keptTxns, maxLogBytes, hasOracle, isKeeperDialect, ...limits } = options;
    this.hasOracle = hasOracle ?? false;
    this.keptTxns = keptTxns;
    this.maxLogBytes = maxLogBytes ?? Number.POSITIVE_INFINITY;
    this.limits = { ...LIMITS, tickTimeMs: TICK_MS, ...limits };
    this.isReconfigEnabled = initial !== undefined;
    this.links = new WorldLinks({
      nextId: () => this.nextId++,
      isUp: (sid) => this.members.get(sid)?.isUp === true,
      step: (sid, event) => this.step(sid, event),
      observerPort: options.observerMasterPort,
    });
    const lines = linesOf(size, observers);
    this.config = parse([...lines, 'version=0'].join('\n'));
    const first = [...this.config.members].slice(0, initial ?? size + observers);
    this.initial = { ...this.config, members: new Map(first) };
    for (const sid of this.config.members.keys()) {
      if (isKeeperDialect === true) this.ofKeeper.add(sid);
      const disk = emptyDisk();
      const clients = new Map<number, Peer>();
      const rest = { clients, isUp: false, isDiskHeld: false, notes: [] };
      this.members.set(sid, { sid, disk, peer: null as never, ...rest });
    }
  }

  member(sid: number): Member {
    const member = this.members.get(sid);
    if (member === undefined) throw new Error(`member ${sid} does not exist`);
    return member;
  }

  start(...sids: number[]): void {
    for (const sid of sids.length > 0 ? sids : this.members.keys()) {
      const member = this.member(sid);
      const { database, committedLog } = restore(member.disk, this.keptTxns);
      member.peer = new QuorumPeer({
        sid,
        config: member.disk.config ?? (this.initial.members.has(sid) ? this.initial : this.config),
        ...commonParts({
          limits: this.limits,
          isReconfigEnabled: this.isReconfigEnabled,
          isKeeperDialect: this.ofKeeper.has(sid),
          oracle: this.hasOracle ? member : null,
        }),
        acceptedEpoch: member.disk.acceptedEpoch,
        currentEpoch: member.disk.currentEpoch,
        data: { tree: database.tree, sessions: [...database.sessions.values()] },
        nextConfig: member.disk.nextConfig,
        committedLog,
        snapshots: new SnapshotTrigger({ snapCount: 100_000, snapSize: 0, growth: 0 }, 1),
        seed: 1,
      });
      member.isUp = true;
    }
    this.pass(0);
  }

  /** It crashes at once and loses pending disk work. */
  crash(sid: number): void {
    const member = this.member(sid);
    member.isUp = false;
    member.disk.work.length = 0;
    for (const peer of member.clients.values()) peer.wasClosed();
    member.clients.clear();
    this.links.closeAll(sid, 'crashed');
    this.settle();
  }

  /** Cuts or restores the links between two members. */
  cut(a: number, b: number): void {
    this.links.cut(a, b);
  }

  heal(): void {
    this.links.heal();
  }

  /** Lets time pass, in steps of 50 ms. */
  pass(ms: number): void {
    const until = this.nowMs + ms;
    do {
      const stepMs = Math.min(50, until - this.nowMs);
      this.nowMs += stepMs;
      this.wallMs += stepMs;
      for (const { isUp, peer } of this.members.values()) {
        if (isUp) peer.step({ kind: 'clock', wallMs: this.wallMs, monotonicMs: this.nowMs });
      }
      this.settle();
    } while (this.nowMs < until);
  }

  /** Lets time pass until the condition holds, at most 60 s. */
  until(isSo: () => boolean, what: string): void {
    for (let i = 0; i < 1200; i++) {
      if (isSo()) return;
      this.pass(50);
    }
    throw new Error(`timeout: ${what}: ${this.describe()}`);
  }

  describe(): string {
    const lines = [...this.members.values()].map(
      ({ sid, isUp, peer, notes }) =>
        `${sid} ${isUp ? `${peer.role?.kind} ${peer.role?.phase}` : 'down'} [${notes.slice(-3).join('; ')}]`,
    );
    return lines.join(', ');
  }

  get leader(): number | undefined {
    for (const { sid, isUp, peer } of this.members.values()) {
      const isLeading = isUp && peer.role?.kind === 'leading' && peer.role.phase === 'broadcast';
      if (isLeading) return sid;
    }
    return undefined;
  }

  isServing(sid: number): boolean {
    const { isUp, peer } = this.member(sid);
    return isUp && peer.view.isServing;
  }

  allServe(): void {
    this.until(() => [...this.members.keys()].every((sid) => this.isServing(sid)), 'all serve');
  }

  connect(sid: number): Peer {
    const { clients, peer } = this.member(sid);
    const id = this.nextId++;
    const client = new Peer(
      { server: { step: (event) => this.step(sid, event) }, drain: () => this.settle() },
      id,
    );
    clients.set(id, client);
    peer.step({
      kind: 'connected',
      connection: id,
      remoteIp: '127.0.0.1',
      remotePort: 40_000 + id,
    });
    this.settle();
    return client;
  }

  client(sid: number, options: HandshakeOptions = {}): Peer {
    const client = this.connect(sid);
    client.push(handshake(options));
    return client;
  }

  /**
   * A link to that member for a test to drive.
   * @param isObserverPort whether to connect to the port for observers
   */
  link(sid: number, receive: Receive, isObserverPort = false, remote?: string): HeldLink {
    const link = this.links.hold(sid, receive, isObserverPort, remote);
    this.settle();
    const push = (bytes: Buffer): void => {
      this.step(sid, { kind: 'link-received', link, bytes });
      this.settle();
    };
    const tell = (event: LinkNews): void => {
      this.step(sid, { ...event, link });
      this.settle();
    };
    return { id: link, push, tell };
  }

  private step(sid: number, event: Event): void {
    const { isUp, peer } = this.member(sid);
    if (isUp) peer.step(event);
  }

  /** Runs until no member has work without the passage of time. */
  settle(): void {
    for (let isBusy = true; isBusy; ) {
      isBusy = false;
      for (const member of this.members.values()) {
        if (!member.isUp) continue;
        for (const effect of member.peer.drain()) {
          this.perform(member, effect);
          isBusy = true;
        }
        while (!member.isDiskHeld && member.isUp) {
          const work = member.disk.work.shift();
          if (work === undefined) break;
          work();
          isBusy = true;
        }
      }
    }
  }

  private perform(member: Member, effect: Effect): void {
    const { sid, disk, clients } = member;
    switch (effect.kind) {
      case 'send':
        clients.get(effect.connection)?.received(effect.bytes);
        break;
      case 'close':
        clients.get(effect.connection)?.wasClosed();
        clients.delete(effect.connection);
        break;
      case 'append':
        disk.work.push(() => {
          for (const entry of entriesOf(effect.bytes)) disk.entries.push(entry);
          this.step(sid, effect.whenDurable);
        });
        break;
      case 'write-epoch':
        disk.work.push(() => {
          disk[effect.name] = effect.epoch;
          this.step(sid, effect.whenDurable);
        });
        break;
      case 'truncate':
        disk.work.push(() => {
          this.step(sid, truncate(disk, effect.zxid));
        });
        break;
      case 'install-snapshot':
        disk.work.push(() => {
          disk.base = copyOf(effect.content);
          disk.entries = [];
          this.step(sid, effect.whenDurable);
        });
        break;
      case 'notify':
        if (this.links.isReachable(sid, effect.sid)) {
          this.step(effect.sid, { kind: 'notified', sid, frame: effect.frame });
        }
        break;
      case 'report':
        if (effect.report.kind === 'quorum') member.notes.push(effect.report.message);
        break;
      case 'observer-port':
        this.links.setObserverPort(sid, effect.isOpen);
        break;
      case 'link-dial':
        this.links.dial(sid, effect);
        break;
      case 'link-send':
        this.links.send(sid, effect.link, effect.bytes);
        break;
      case 'link-snapshot':
        this.onSnapshotSent();
        this.links.sendSnapshot(sid, effect);
        break;
      case 'search-log': {
        const { link, range } = effect;
        disk.work.push(() => {
          const place = searchEntries(disk, range, this.maxLogBytes);
          this.onSearched();
          this.step(sid, { kind: 'log-searched', link, until: range.until, place });
        });
        break;
      }
      case 'link-log':
        this.onLogSent();
        // After the appends before it.
        disk.work.push(() => this.links.sendLog(sid, disk, effect));
        break;
      case 'link-close':
        this.links.close(sid, effect.link, 'closed', false);
        break;
      default:
        performOther(disk, effect, (next) => this.step(sid, next));
    }
  }
}
