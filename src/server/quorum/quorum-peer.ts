/**
 * A member of an ensemble as a value: `step` an event, `drain` the effects (QuorumPeer). It looks for
 * a leader, then leads or follows, until that role ends, and looks again. In front of it stands the
 * server that clients know: without a path while there is no quorum, with the role's path else.
 *
 * Between two roles the tree is what the log says, no more and no less, and all of it is durable: an
 * election never offers what a crash could take back.
 */
import { assert } from '../assert.js';
import type { Effect } from '../effects.js';
import type { Event, QuorumEvent } from '../events.js';
import type { ContainerManager } from '../pipeline/container-manager.js';
import type { PathHost, WritePath } from '../pipeline/write-path.js';
import type { Server } from '../server.js';
import type { ServerState } from '../server-state.js';
import type { CommittedLog } from './committed-log.js';
import { type ElectionOptions, FastLeaderElection } from './fast-leader-election.js';
import { Leader } from './leader.js';
import { Learner } from './learner.js';
import type { QuorumConfig } from './quorum-config.js';
import type { Data, PeerHost, QuorumLimits, Role } from './role.js';

export interface QuorumPeerParts {
  readonly sid: number;
  readonly config: QuorumConfig;
  readonly limits: QuorumLimits;
  readonly election: Omit<ElectionOptions, 'sid'>;
  readonly acceptedEpoch: number;
  readonly currentEpoch: number;
  /** What snapshot and log say. */
  readonly data: Data;
  readonly committedLog: CommittedLog;
  /** Txns since the last snapshot. */
  readonly replayed: number;
  /** Seeds the random trigger of snapshots. */
  readonly seed: number;
  /** The server in front; without a path it serves nobody. */
  makeServer(
    peer: QuorumPeer,
    data: Data,
    makePath: ((state: ServerState, host: PathHost) => WritePath) | null,
  ): Server;
  makeContainers(state: ServerState): ContainerManager;
}

type MakePath = (state: ServerState, host: PathHost) => WritePath;

/** A connection to the quorum port that came before there was a leader. */
interface ParkedLink {
  readonly remote: string;
  readonly chunks: Buffer[];
  size: number;
}

const MAX_PARKED_LINKS = 256;
const MAX_PARKED_BYTES = 64 * 1024;

export class QuorumPeer implements PeerHost {
  readonly sid: number;
  readonly limits: QuorumLimits;
  readonly committedLog: CommittedLog;
  /** What clients see. */
  server: Server;
  role: Role | null = null;
  config: QuorumConfig;
  acceptedEpoch: number;
  currentEpoch: number;
  data: Data;
  nowMs = 0;
  wallMs = 0;
  private readonly parts: QuorumPeerParts;
  private readonly election: FastLeaderElection;
  private readonly parked = new Map<number, ParkedLink>();
  private effects: Effect[] = [];
  /** Effects for the disk whose event has not come yet. */
  private diskWork = 0;
  private isLooking = false;
  private isStarted = false;
  private overBecause: string | null = null;
  private links = 0;

  constructor(parts: QuorumPeerParts) {
    this.parts = parts;
    this.sid = parts.sid;
    this.limits = parts.limits;
    this.config = parts.config;
    this.acceptedEpoch = parts.acceptedEpoch;
    this.currentEpoch = parts.currentEpoch;
    this.data = parts.data;
    this.committedLog = parts.committedLog;
    this.election = new FastLeaderElection({ ...parts.election, sid: parts.sid }, parts.config);
    this.server = parts.makeServer(this, this.data, null);
    this.emit({ kind: 'members', members: [...parts.config.members.values()] });
  }

  get isObserver(): boolean {
    return this.config.members.get(this.sid)?.role === 'observer';
  }

  get view(): Server['view'] {
    return this.server.view;
  }

  get nextWakeMs(): number {
    return this.role === null ? this.election.nextWakeMs : this.role.nextWakeMs;
  }

  // ── events ───────────────────────────────────────────────────────────────────────────────────

  step(event: Event): void {
    switch (event.kind) {
      case 'clock':
        this.nowMs = event.monotonicMs;
        this.wallMs = event.wallMs;
        this.server.step(event);
        this.tick();
        break;
      case 'ack':
        this.diskWork--;
        this.role?.durable(event.zxid);
        break;
      case 'notified':
        this.election.receive(event.sid, event.frame, this.nowMs);
        break;
      case 'epoch-written':
        this.diskWork--;
        this[event.name] = event.epoch;
        this.role?.step(event);
        break;
      case 'truncated': {
        this.diskWork--;
        const { tree, sessions } = event.database;
        this.committedLog.clear();
        this.replaceData({ tree, sessions: [...sessions.values()] });
        this.role?.step(event);
        break;
      }
      case 'installed':
        this.diskWork--;
        this.role?.step(event);
        break;
      case 'link-opened':
      case 'link-received':
      case 'link-closed':
        this.stepLink(event);
        break;
      default:
        this.server.step(event);
    }
    this.settle();
  }

  private tick(): void {
    if (!this.isStarted) {
      this.isStarted = true;
      return;
    }
    if (this.role !== null) this.role.tick();
    else if (this.isLooking) this.election.tick(this.nowMs);
  }

  /** What the step led to: a role that is over, one that begins, an election. */
  private settle(): void {
    if (this.overBecause !== null) this.endRole(this.overBecause);
    if (this.role !== null || !this.isStarted) return;
    if (!this.isLooking) {
      if (this.diskWork > 0) return;
      this.look();
    }
    const vote = this.election.takeElected();
    if (vote !== undefined) this.begin(vote.leader);
    if (this.overBecause !== null) this.endRole(this.overBecause);
  }

  // ── roles ────────────────────────────────────────────────────────────────────────────────────

  private look(): void {
    this.isLooking = true;
    const zxid = this.data.tree.lastProcessedZxid;
    const { currentEpoch: epoch, isObserver, config } = this;
    this.election.look({ zxid, epoch, isObserver, config }, this.nowMs);
  }

  private begin(leader: number): void {
    this.isLooking = false;
    if (leader === this.sid) {
      this.note('this server leads');
      const { seed, replayed, makeContainers } = this.parts;
      this.role = new Leader(this, { seed, replayed, makeContainers });
      for (const [link, { remote, chunks }] of this.parked) {
        this.role.step({ kind: 'link-opened', link, remote });
        for (const bytes of chunks) this.role.step({ kind: 'link-received', link, bytes });
      }
      this.parked.clear();
      return;
    }
    for (const link of this.parked.keys()) this.emit({ kind: 'link-close', link });
    this.parked.clear();
    const member = this.config.members.get(leader);
    assert(member !== undefined, `server ${leader} was elected and is no member`);
    this.note(`server ${leader} leads`);
    this.role = new Learner(this, member, this.parts.seed);
  }

  giveUp(reason: string): void {
    this.overBecause ??= reason;
  }

  private endRole(reason: string): void {
    const { role, server } = this;
    this.overBecause = null;
    if (role === null) return;
    this.note(`${role.kind} is over: ${reason}`);
    server.shutDown();
    role.end();
    this.role = null;
    if (server.path !== null) {
      const sessions = [...server.state.sessions.values()];
      this.data = {
        tree: this.data.tree,
        sessions: sessions.map(({ id, timeoutMs }) => ({ id, timeoutMs })),
      };
    }
    this.replaceServer(null);
    this.overBecause = null;
  }

  serve(makePath: MakePath): Server {
    this.replaceServer(makePath);
    return this.server;
  }

  /** What the old one still has to say, and to log, is said before the new one speaks. */
  private replaceServer(makePath: MakePath | null): void {
    this.server.shutDown();
    this.collect(this.server.drain());
    this.server.state.tree.listener = null;
    this.server = this.parts.makeServer(this, this.data, makePath);
    this.server.isOpen = false;
    this.server.step({ kind: 'clock', wallMs: this.wallMs, monotonicMs: this.nowMs });
  }

  replaceData(data: Data): void {
    this.data = data;
    if (this.server.path === null) this.replaceServer(null);
  }

  writeEpoch(name: 'acceptedEpoch' | 'currentEpoch', epoch: number): void {
    const whenDurable = { kind: 'epoch-written', name, epoch } as const;
    this.emit({ kind: 'write-epoch', name, epoch, whenDurable });
  }

  established(epoch: number): void {
    this.election.setPeerEpoch(epoch);
  }

  nextLink(): number {
    return -++this.links;
  }

  note(message: string): void {
    this.emit({ kind: 'report', report: { kind: 'quorum', message } });
  }

  // ── links ────────────────────────────────────────────────────────────────────────────────────

  private stepLink(event: Extract<QuorumEvent, { link: number }>): void {
    if (this.role?.kind === 'leading' || event.link < 0) this.role?.step(event);
    else if (event.kind === 'link-opened') this.park(event.link, event.remote);
    else if (event.kind === 'link-received') this.keep(event.link, event.bytes);
    else this.parked.delete(event.link);
  }

  /** Whoever connects may have heard of this server's election before this server has. */
  private park(link: number, remote: string): void {
    if (this.role !== null || this.parked.size >= MAX_PARKED_LINKS) {
      this.emit({ kind: 'link-close', link });
      return;
    }
    this.parked.set(link, { remote, chunks: [], size: 0 });
  }

  private keep(link: number, bytes: Buffer): void {
    const parked = this.parked.get(link);
    if (parked === undefined) return;
    parked.chunks.push(bytes);
    parked.size += bytes.length;
    if (parked.size <= MAX_PARKED_BYTES) return;
    this.parked.delete(link);
    this.emit({ kind: 'link-close', link });
  }

  // ── effects ──────────────────────────────────────────────────────────────────────────────────

  emit(effect: Effect): void {
    if (DISK_EFFECTS.has(effect.kind)) this.diskWork++;
    this.effects.push(effect);
  }

  private collect(effects: readonly Effect[]): void {
    for (const effect of effects) this.emit(effect);
  }

  drain(): readonly Effect[] {
    this.role?.drain();
    this.collect(this.server.drain());
    for (const { to, frame } of this.election.takeOutgoing()) {
      this.emit({ kind: 'notify', sid: to, frame });
    }
    const { effects } = this;
    if (effects.length > 0) this.effects = [];
    return effects;
  }
}

/** Each of them is answered by one event. */
const DISK_EFFECTS: ReadonlySet<Effect['kind']> = new Set([
  'append',
  'write-epoch',
  'truncate',
  'install-snapshot',
]);
