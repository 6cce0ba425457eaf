/**
 * The election of a leader (FastLeaderElection). A looking server sends its vote to all, adopts any
 * better one, and finishes when a quorum votes the same; a latecomer joins the leader that a quorum
 * follows. A round has one winner. The epochs ensure that it knows every committed txn.
 */
import { assert } from '../../../base/assert.js';
import { LIMITS } from '../../limits/limits.js';
import type { Membership } from '../membership/membership.js';
import {
  containsExcusedQuorum,
  containsQuorum,
  formatQuorumConfig,
  type IsExcused,
  isParticipant,
  isVoter,
  parseQuorumConfig,
  participants,
  type QuorumConfig,
  voters,
} from '../membership/quorum-config.js';
import {
  type Candidacy,
  decodeNotification,
  encodeNotification,
  isBetter,
  type Notification,
  type PeerState,
  PROBE_ROUND,
  type Vote,
} from '../wire/notification.js';

/** Servers that do not vote and get notifications only because they asked. */
const MAX_ASKERS = LIMITS.electionAskers.value;

export interface Outgoing {
  readonly to: number;
  readonly frame: Buffer;
}

export interface OutboxOptions {
  /** The id of this server: nothing is sent to it. */
  readonly sid: number;
  readonly exceeded?: (limit: 'electionAskers', from: string) => void;
}

/** Outgoing notifications: only the newest one for each server. */
export class Outbox {
  private readonly options: OutboxOptions;
  /** By sid: at most one, the newest; never one for this server. Empty after `take`. */
  private readonly frames = new Map<number, Buffer>();
  /** At most MAX_ASKERS; empty when a round of this server begins. */
  private readonly askerIds = new Set<number>();

  constructor(options: OutboxOptions) {
    this.options = options;
  }

  get askers(): ReadonlySet<number> {
    return this.askerIds;
  }

  /** Whether to answer the server: it asks for the first time, and there is room. */
  addAsker(sid: number): boolean {
    if (this.askerIds.has(sid)) return false;
    if (this.askerIds.size >= MAX_ASKERS) {
      this.options.exceeded?.('electionAskers', `server ${sid}`);
      return false;
    }
    this.askerIds.add(sid);
    assert(this.askerIds.size <= MAX_ASKERS, 'link: too many askers', this.askerIds.size);
    return true;
  }

  forgetAskers(): void {
    this.askerIds.clear();
  }

  send(to: number, notification: Notification): void {
    if (to !== this.options.sid) this.frames.set(to, encodeNotification(notification));
  }

  has(to: number): boolean {
    return this.frames.has(to);
  }

  take(): Outgoing[] {
    const frames = [...this.frames].map(([to, frame]) => ({ to, frame }));
    this.frames.clear();
    assert(!frames.some(({ to }) => to === this.options.sid), 'vote: sent to itself');
    return frames;
  }
}

export interface Candidate {
  /** The last zxid of the log; -1n if the history is lost or the server can promise nothing. */
  readonly zxid: bigint;
  readonly epoch: number;
  readonly isObserver: boolean;
  readonly config: QuorumConfig;
  /** Proposed but not committed: its quorums count, too. */
  readonly nextConfig?: QuorumConfig | undefined;
}

/** Long.MIN_VALUE: the server has nobody to vote for. */
const NO_VOTE = -(2n ** 63n);
/** The zxid of a server that must not lead. */
export const NO_HISTORY = -1n;

/** A server without a history votes for nobody and gets no votes (db.autocreate=false). */
export function hasHistory({ zxid }: { readonly zxid: bigint }): boolean {
  return zxid !== NO_HISTORY;
}

export function initialVote(
  { zxid, epoch, isObserver, config }: Candidate,
  sid: number,
): Candidacy {
  return {
    leader: isParticipant(config, sid) ? sid : Number(NO_VOTE),
    zxid: isObserver ? NO_VOTE : zxid,
    peerEpoch: isObserver ? NO_VOTE : BigInt(epoch),
  };
}

/** Voters of the present and the proposed configuration. A quorum needs both (ZOOKEEPER-2212). */
export class Electorate {
  readonly config: QuorumConfig;
  /** `config` as notifications carry it. */
  readonly text: string;
  private readonly all: readonly QuorumConfig[];

  /** `next` counts when its version is higher. */
  constructor(config: QuorumConfig, next?: QuorumConfig) {
    this.config = config;
    this.text = formatQuorumConfig(config);
    const isNewer = next !== undefined && next.version > config.version;
    this.all = isNewer ? [config, next] : [config];
    assert(this.members().size > 0, 'config: nobody may vote', config.version);
  }

  has(sid: number): boolean {
    return this.all.some((config) => isParticipant(config, sid));
  }

  /** Whether `vote` is better. Nobody votes for a server that has no weight. */
  prefers(vote: Candidacy, present: Candidacy): boolean {
    if (!this.mayLead(vote.leader)) return false;
    return !this.mayLead(present.leader) || isBetter(vote, present);
  }

  /** Includes participants without weight. */
  members(): Set<number> {
    return new Set(this.all.flatMap((config) => participants(config)));
  }

  isQuorum(sids: ReadonlySet<number>): boolean {
    return this.all.every((config) => containsQuorum(config, sids));
  }

  /** Whether the oracle may let `sid` lead alone, because all other voters are silent. */
  isLone(sid: number, isSilent: IsExcused): boolean {
    const alone = new Set([sid]);
    return this.all.every((config) => containsExcusedQuorum(config, alone, isSilent));
  }

  /** Whether enough servers follow a leader. A pending configuration may need `joiner`, too. */
  isFollowing(sids: ReadonlySet<number>, joiner: number): boolean {
    const pending = this.all.slice(1);
    const joined = new Set(sids).add(joiner);
    const isPresent = containsQuorum(this.config, sids);
    return isPresent && pending.every((config) => containsQuorum(config, joined));
  }

  /** Whether no further vote can change the result. */
  isEverybody(sids: ReadonlySet<number>): boolean {
    return this.all.every((config) => voters(config).every((sid) => sids.has(sid)));
  }

  /** The configuration in a notification if it is newer; a string describes an error. */
  newerIn(text: string): QuorumConfig | string | undefined {
    if (text === this.text) return undefined;
    const config = parseQuorumConfig(text);
    if (typeof config === 'string') return config;
    return config.version > this.config.version ? config : undefined;
  }

  private mayLead(sid: number): boolean {
    return this.all.some((config) => isVoter(config, sid));
  }
}

export interface Ballot {
  readonly vote: Vote;
  readonly state: PeerState;
  /** The version of its notifications. */
  readonly version: number;
}

/** The last vote of each server of an ensemble, and which servers agree. */
export class Ballots {
  /** The last one of each server of the electorate; empty when a round begins. */
  private readonly bySid = new Map<number, Ballot>();

  clear(): void {
    this.bySid.clear();
  }

  set(sid: number, ballot: Ballot): void {
    this.bySid.set(sid, ballot);
  }

  has(sid: number): boolean {
    return this.bySid.has(sid);
  }

  /** A leader that does not say that it leads may have stopped. */
  hasLeading(sid: number): boolean {
    return this.bySid.get(sid)?.state === 'leading';
  }

  /** Whether it had one. */
  delete(sid: number): boolean {
    return this.bySid.delete(sid);
  }

  /** The servers with the same leader, round, zxid, and epoch. */
  votingLike(vote: Vote): Set<number> {
    return this.filter((other) => isSameVote(other.vote, vote));
  }

  /** In any round. */
  votingFor({ leader }: Vote): Set<number> {
    return this.filter(({ vote }) => vote.leader === leader);
  }

  /**
   * The servers that cast `vote` or follow its leader in this round. Once a leader exists, votes
   * differ in zxid and epoch, but agree on round and leader (ZOOKEEPER-1805).
   */
  agreeingInRound(vote: Vote): Set<number> {
    return this.filter((other) =>
      other.state === 'looking' ? isSameVote(other.vote, vote) : other.vote.leader === vote.leader,
    );
  }

  /**
   * The servers with the same leader in the same epoch. Servers that send no version do not raise
   * their epoch with the leader (ZOOKEEPER-1818).
   */
  agreeingWith({ vote, version }: Ballot): Set<number> {
    return this.filter(
      (other) =>
        other.vote.leader === vote.leader &&
        (other.vote.peerEpoch === vote.peerEpoch || isVersioned(other) !== version > 0),
    );
  }

  private filter(agrees: (ballot: Ballot) => boolean): Set<number> {
    const sids = new Set<number>();
    for (const [sid, ballot] of this.bySid) if (agrees(ballot)) sids.add(sid);
    return sids;
  }
}

function isVersioned({ version }: Ballot): boolean {
  return version > 0;
}

function isSameVote(a: Vote, b: Vote): boolean {
  return (
    a.leader === b.leader &&
    a.zxid === b.zxid &&
    a.electionEpoch === b.electionEpoch &&
    a.peerEpoch === b.peerEpoch
  );
}

/** Servers that elected together differ by far less, even after many restarts. */
const MAX_JUMP = 2n ** 32n;
/** Beyond what elections alone reach; the next election starts at 1. */
const MAX_OWN_ROUND = 2n ** 40n;
/** After this wait, a round beyond MAX_JUMP counts, too: servers of near rounds did not agree. */
const FAR_ROUND_WAIT_MS = 2000;
/** Each later round discards the votes, so a flood of later rounds would prevent any result. */
const FREE_RAISES = 16;
const RAISE_EVERY_MS = 250;

/**
 * The round as one server counts it (FastLeaderElection.logicalclock). Anybody who reaches the port
 * can claim any round: that may delay an election but must never prevent it.
 */
export class ElectionRound {
  /** 0 before the first election. Only `follow` and `join` take one that another server claims. */
  value = 0n;
  /** When this server began its present election, in monotonic ms. */
  private beganMs = 0;
  /** Rounds taken from others since then. */
  private raises = 0;
  /** When the last of them was taken, in monotonic ms; counts only if `raises` is not 0. */
  private raisedMs = 0;

  is(round: bigint): boolean {
    return this.value === round;
  }

  next(nowMs: number): void {
    const isOutOfRange = this.value < 0n || this.value >= MAX_OWN_ROUND;
    this.value = isOutOfRange ? 1n : this.value + 1n;
    assert(this.value > 0n && this.value <= MAX_OWN_ROUND, 'vote: round out of range', this.value);
    assert(nowMs >= this.beganMs, 'vote: a round begins before the last one', nowMs, this.beganMs);
    this.beganMs = nowMs;
    this.raises = 0;
  }

  /** Takes over the round of a looking server; false if it is refused for now. */
  follow(round: bigint, nowMs: number): boolean {
    assert(round !== this.value, 'vote: follows its own round', round);
    const isFar = round > this.value + MAX_JUMP;
    if (isFar && nowMs < this.beganMs + FAR_ROUND_WAIT_MS) return false;
    if (this.raises >= FREE_RAISES && nowMs < this.raisedMs + RAISE_EVERY_MS) return false;
    this.value = round;
    this.raises++;
    this.raisedMs = nowMs;
    return true;
  }

  /** Takes over the round in which a quorum elected the leader that this server joins. */
  join(round: bigint): void {
    this.value = round;
  }
}

/** The configurations that came with notifications and are newer than any seen before. */
export class NewerConfigs {
  /** The highest version in force or found; never falls. */
  private newest: bigint;
  /** The last one found, until it is taken; at most as new as `newest`. */
  private found: QuorumConfig | undefined;

  constructor(version: bigint) {
    this.newest = version;
  }

  /** A configuration in force. */
  use({ version }: QuorumConfig): void {
    if (version > this.newest) this.newest = version;
    assert(this.newest >= version, 'config: in force, but newer than known', version, this.newest);
  }

  /** Returns what is wrong with the text, or "". */
  note(text: string | undefined, electorate: Electorate): string {
    const newer = text === undefined ? undefined : electorate.newerIn(text);
    if (typeof newer === 'string') return newer;
    if (newer === undefined || newer.version <= this.newest) return '';
    this.newest = newer.version;
    this.found = newer;
    return '';
  }

  /** Each one once. */
  take(): QuorumConfig | undefined {
    const { found } = this;
    this.found = undefined;
    const isKnown = found === undefined || found.version <= this.newest;
    assert(isKnown, 'config: found, but newer than known', found?.version, this.newest);
    return found;
  }
}

/**
 * When a looking server asks the oracle (oraclePath), and what the answer means. "Yes": it may lead
 * alone, if it hears no other voter. "No": it may follow the other voter, which says that it leads
 * but needs no quorum. Both only in an ensemble of two voters.
 */
class LoneVote {
  private readonly sid: number;
  private readonly ask: (() => void) | undefined;
  /** In this wait for notifications. A server that is heard is not gone, despite the oracle. */
  private readonly heard = new Set<number>();
  /** The vote of the other voter that leads alone, while the oracle is asked; else null. */
  private claimed: Vote | null = null;

  /** @param ask undefined without an oracle */
  constructor(sid: number, ask: (() => void) | undefined) {
    this.sid = sid;
    this.ask = ask;
  }

  begin(): void {
    this.heard.clear();
    this.claimed = null;
  }

  hear(sid: number, { state }: Notification): void {
    this.heard.add(sid);
    if (state === 'looking' && this.claimed?.leader === sid) this.claimed = null;
  }

  /** A wait for notifications ended. */
  waited(candidate: Candidate, electorate: Electorate): void {
    if (this.ask === undefined) return;
    if (this.isLone(candidate, electorate)) this.ask();
    this.heard.clear();
  }

  /** No quorum follows this leader. */
  noteLeader(sid: number, { state, vote }: Notification, electorate: Electorate): void {
    if (this.ask === undefined || state !== 'leading' || vote.leader !== sid) return;
    if (!electorate.isLone(sid, () => true)) return;
    this.claimed = vote;
    this.ask();
  }

  /** The vote that ends the election, or undefined. */
  decide(
    isGranted: boolean,
    candidate: Candidate,
    electorate: Electorate,
    round: bigint,
  ): Vote | undefined {
    const { claimed, sid } = this;
    this.claimed = null;
    assert(this.ask !== undefined, 'vote: an answer of an oracle that nobody asked');
    if (claimed !== null) return isGranted ? undefined : claimed;
    if (!isGranted || !this.isLone(candidate, electorate)) return undefined;
    return { ...initialVote(candidate, sid), electionEpoch: round };
  }

  private isLone(candidate: Candidate, electorate: Electorate): boolean {
    return hasHistory(candidate) && electorate.isLone(this.sid, (sid) => !this.heard.has(sid));
  }
}

/** The voters that elected this server. Some may look for a leader again (ZOOKEEPER-3109). */
export class Supporters {
  /** Those that voted for the winner of the last election, which counts if it is this server. */
  private sids: ReadonlySet<number> = new Set();
  /** The supporters that look for a leader in a later round; a subset of `sids`. */
  private readonly departed = new Set<number>();
  /** A supporter has looked for a leader since the last call of `whyLeave`. */
  private isDoubted = false;

  /** Those that look for a leader in a later round. */
  get departedSids(): ReadonlySet<number> {
    return this.departed;
  }

  has(sid: number): boolean {
    return this.sids.has(sid);
  }

  begin(sids: ReadonlySet<number>): void {
    assert(this.departed.size === 0, 'vote: a voter left before the election', this.departed.size);
    this.sids = sids;
  }

  clear(): void {
    this.departed.clear();
    this.isDoubted = false;
  }

  noteLooking(sid: number, isLaterRound: boolean): void {
    if (!this.sids.has(sid)) return;
    this.isDoubted = true;
    if (isLaterRound) this.departed.add(sid);
    assert(this.departed.size <= this.sids.size, 'vote: more left than voted', this.departed.size);
  }

  /**
   * Why this server should stop waiting for epochs, or "": the other supporters are not a quorum,
   * or one left after more than `maxMs` (negative: never).
   */
  whyLeave(membership: Membership, waitedMs: number, maxMs: number): string {
    const isLate = this.isDoubted && maxMs >= 0 && waitedMs > maxMs;
    this.isDoubted = false;
    if (isLate) return `a voter sent no epoch for ${maxMs} ms and looks for a leader again`;
    if (this.departed.size === 0) return '';
    const left = [...membership.config.members.keys()].filter((sid) => !this.departed.has(sid));
    return membership.isQuorum(new Set(left))
      ? ''
      : 'the voters that elected it look for a leader again';
  }
}

export interface ElectionOptions extends OutboxOptions {
  /** A vote is sent again after this time, then after twice, four times, … up to the maximum. */
  readonly minIntervalMs: number;
  readonly maxIntervalMs: number;
  /** Wait for the remaining voters after a quorum agrees. */
  readonly finalizeWaitMs: number;
  /** Asks the oracle, if there is one; `step` takes the answer. */
  readonly askOracle?: (() => void) | undefined;
}

const NEVER = Number.POSITIVE_INFINITY;

export class FastLeaderElection {
  private readonly options: ElectionOptions;
  /** Counts in the configurations of `candidate` while looking, then in those in force. */
  private electorate: Electorate;
  /** What this server offers in the present or last election; undefined before the first. */
  private candidate: Candidate | undefined;
  private readonly round = new ElectionRound();
  /** `looking` from `lookForLeader` to `settle`; `leading` exactly if `proposal` is for itself. */
  private own: PeerState = 'looking';
  /** While looking, never worse than what this server offers; then the vote that won. */
  private proposal: Vote;
  /** The votes of this round, including this server's. */
  private readonly votes = new Ballots();
  /** The votes of servers that have a leader, in any round. */
  private readonly settled = new Ballots();
  private readonly outbox: Outbox;
  readonly supporters = new Supporters();
  /** The vote that won, until `takeElected`; undefined while looking. */
  private elected: Vote | undefined;
  readonly newerConfigs: NewerConfigs;
  private readonly lone: LoneVote;
  /** What was wrong with the last ignored frame, until `takeProblem`. */
  private problem: string | undefined;
  /** The time of the last call, in monotonic ms. */
  private nowMs = 0;
  /** The time between the last two sends of this vote; at most `maxIntervalMs` after the first. */
  private intervalMs = 0;
  /** When the vote is sent again; NEVER unless looking. */
  private repeatAtMs = NEVER;
  /** When the proposal wins; NEVER unless looking and a quorum has the same vote. */
  private finalAtMs = NEVER;

  constructor(options: ElectionOptions, config: QuorumConfig) {
    this.options = options;
    this.outbox = new Outbox(options);
    this.electorate = new Electorate(config);
    this.newerConfigs = new NewerConfigs(config.version);
    this.lone = new LoneVote(options.sid, options.askOracle);
    this.proposal = { leader: options.sid, zxid: 0n, electionEpoch: 0n, peerEpoch: 0n };
  }

  get state(): PeerState {
    return this.own;
  }

  /** The proposed vote while this server is looking, then the final one. */
  get vote(): Vote {
    return this.proposal;
  }

  /** Infinity if nothing is pending. */
  get nextWakeMs(): number {
    return Math.min(this.repeatAtMs, this.finalAtMs);
  }

  lookForLeader(candidate: Candidate, nowMs: number): void {
    this.nowMs = nowMs;
    this.candidate = candidate;
    this.adopt(new Electorate(candidate.config, candidate.nextConfig));
    this.own = 'looking';
    this.round.next(nowMs);
    this.elected = undefined;
    this.votes.clear();
    this.settled.clear();
    this.outbox.forgetAskers();
    this.supporters.clear();
    this.lone.begin();
    this.intervalMs = this.options.minIntervalMs;
    this.repeatAtMs = nowMs + this.intervalMs;
    this.propose(initialVote(candidate, this.options.sid));
    this.conclude();
    assert(this.proposal.electionEpoch === this.round.value, 'vote: of another round');
  }

  receive(sid: number, frame: Buffer, nowMs: number): void {
    this.nowMs = nowMs;
    const notification = decodeNotification(frame);
    if (typeof notification === 'string') {
      this.problem = `server ${sid}: ignored a notification: ${notification}`;
    } else if (notification.vote.electionEpoch === PROBE_ROUND) {
      this.send([sid]);
    } else if (this.own !== 'looking') {
      if (notification.state === 'looking') this.answerSettled(sid, notification.vote);
    } else if (this.candidate !== undefined) {
      this.lone.hear(sid, notification);
      const problem = this.newerConfigs.note(notification.config, this.electorate);
      if (problem !== '') this.problem = `server ${sid}: ignored its configuration: ${problem}`;
      this.consider(this.candidate, sid, notification);
    }
  }

  tick(nowMs: number): void {
    this.nowMs = nowMs;
    if (this.own !== 'looking') return;
    assert(
      this.candidate !== undefined || this.nextWakeMs === NEVER,
      'vote: a wait without a vote',
    );
    if (nowMs >= this.finalAtMs) {
      const agreed = this.votes.votingLike(this.proposal);
      assert(this.electorate.isQuorum(agreed), 'quorum: it does not vote as before', agreed.size);
      this.finish(this.proposal);
    } else if (nowMs >= this.repeatAtMs) {
      if (this.candidate !== undefined) this.lone.waited(this.candidate, this.electorate);
      this.send([...this.electorate.members(), ...this.outbox.askers]);
      this.intervalMs = Math.min(this.intervalMs * 2, this.options.maxIntervalMs);
      this.repeatAtMs = nowMs + this.intervalMs;
    }
  }

  /** The answer to `askOracle`. */
  step({ isGranted }: { readonly isGranted: boolean }): void {
    const { candidate, electorate, lone, round } = this;
    if (this.own !== 'looking' || candidate === undefined) return;
    assert(this.elected === undefined, 'vote: elected while it looks for a leader');
    const vote = lone.decide(isGranted, candidate, electorate, round.value);
    if (vote === undefined) return;
    if (vote.leader === this.options.sid) this.propose(vote);
    else round.join(vote.electionEpoch);
    this.finish(vote);
  }

  /** Sets the epoch once in sync, so that all answers agree (ZOOKEEPER-1732). */
  setPeerEpoch(epoch: number): void {
    if (this.own !== 'looking') this.proposal = { ...this.proposal, peerEpoch: BigInt(epoch) };
  }

  /** Skips the election: a reconfig decided the leader and the role of this server. */
  settleOn(leader: number, peerEpoch: number, isObserver: boolean): void {
    assert(this.own !== 'looking', 'vote: decided by a reconfig during an election', leader);
    if (this.candidate !== undefined) this.candidate = { ...this.candidate, isObserver };
    this.settle({ ...this.proposal, leader, peerEpoch: BigInt(peerEpoch) });
  }

  /** A configuration that came with the vote may change the role. */
  becomeLearner(isObserver: boolean): void {
    assert(this.own !== 'looking', 'vote: a learner without an election');
    assert(this.proposal.leader !== this.options.sid, 'vote: follows itself', this.options.sid);
    this.own = isObserver ? 'observing' : 'following';
  }

  /** Changes the configuration in force; a looking server starts its round again. */
  setConfig(config: QuorumConfig, nextConfig?: QuorumConfig): void {
    const candidate = this.own === 'looking' ? this.candidate : undefined;
    if (candidate === undefined) this.adopt(new Electorate(config, nextConfig));
    else this.lookForLeader({ ...candidate, config, nextConfig }, this.nowMs);
  }

  /** The vote that won, once a round. */
  takeElected(): Vote | undefined {
    const { elected } = this;
    this.elected = undefined;
    const isOver = elected === undefined || this.own !== 'looking';
    assert(isOver, 'vote: won in an election that is not over', elected?.leader);
    return elected;
  }

  /** Returns, once, what was wrong with the last ignored frame. */
  takeProblem(): string | undefined {
    const { problem } = this;
    this.problem = undefined;
    return problem;
  }

  /** The newest frame for each other server since the last call. */
  takeOutgoing(): Outgoing[] {
    return this.outbox.take();
  }

  private adopt(electorate: Electorate): void {
    this.electorate = electorate;
    this.newerConfigs.use(electorate.config);
  }

  private propose({ leader, zxid, peerEpoch }: Candidacy): void {
    const { sid } = this.options;
    assert(this.own === 'looking', 'vote: changed after the election', leader);
    this.proposal = { leader, zxid, peerEpoch, electionEpoch: this.round.value };
    this.finalAtMs = NEVER;
    if (this.electorate.has(sid) && this.candidate !== undefined && hasHistory(this.candidate)) {
      this.votes.set(sid, { vote: this.proposal, state: 'looking', version: 0 });
    }
    this.send([...this.electorate.members(), ...this.outbox.askers]);
  }

  private consider(candidate: Candidate, sid: number, notification: Notification): void {
    if (!this.electorate.has(sid)) {
      // Answer once, then send with the voters: two such servers must not echo forever.
      if (notification.state === 'looking' && this.outbox.addAsker(sid)) this.send([sid]);
    } else if (notification.state === 'looking') {
      this.receiveLooking(candidate, sid, notification);
    } else if (
      notification.state !== 'observing' &&
      this.electorate.has(notification.vote.leader)
    ) {
      this.receiveSettled(sid, notification);
    }
  }

  private receiveLooking(candidate: Candidate, sid: number, notification: Notification): void {
    const { vote } = notification;
    const hadLeader = this.settled.delete(sid);
    // A server that does not vote takes the round of the voters, as nobody takes its round.
    if (vote.electionEpoch < this.round.value && this.electorate.has(this.options.sid)) {
      this.send([sid]);
      return;
    }
    if (!this.electorate.has(vote.leader)) return;
    if (!hasHistory(candidate) || !hasHistory(vote)) return;
    if (!this.round.is(vote.electionEpoch)) {
      if (!this.round.follow(vote.electionEpoch, this.nowMs)) return;
      this.votes.clear();
      const initial = initialVote(candidate, this.options.sid);
      this.propose(this.electorate.prefers(vote, initial) ? vote : initial);
    } else if (this.electorate.prefers(vote, this.proposal)) {
      this.propose(vote);
    } else if (hadLeader) {
      // It dropped this server's vote while it had a leader. The repeat could be too late.
      this.send([sid]);
    }
    assert(this.electorate.has(sid), 'vote: of a server that has none', sid);
    assert(this.round.is(vote.electionEpoch), 'vote: of another round', vote.electionEpoch);
    this.votes.set(sid, notification);
    this.conclude();
  }

  /** Ends the round if a quorum agrees; at once if all voters have voted. */
  private conclude(): void {
    this.checkProposal();
    const agreed = this.votes.votingLike(this.proposal);
    if (!this.electorate.isQuorum(agreed)) this.finalAtMs = NEVER;
    else if (this.electorate.isEverybody(agreed)) this.finish(this.proposal);
    else if (this.finalAtMs === NEVER) this.finalAtMs = this.nowMs + this.options.finalizeWaitMs;
  }

  /**
   * Zab elects a server that has every committed txn. So no server may vote for one with less
   * history than it has itself, if it may lead.
   */
  private checkProposal(): void {
    const { candidate, electorate, own, options, proposal } = this;
    assert(own === 'looking' && candidate !== undefined, 'vote: counted after the election');
    const isWorse = electorate.prefers(initialVote(candidate, options.sid), proposal);
    assert(!isWorse, 'vote: for less history than its own', proposal.zxid, candidate.zxid);
  }

  private receiveSettled(sid: number, notification: Notification): void {
    const { vote } = notification;
    assert(this.electorate.has(sid), 'vote: of a server that has none', sid);
    this.settled.set(sid, notification);
    if (this.round.is(vote.electionEpoch)) {
      this.votes.set(sid, notification);
      const agreed = this.votes.agreeingInRound(vote);
      if (this.electorate.isQuorum(agreed) && this.isLeading(this.votes, vote)) {
        this.finish(vote);
        return;
      }
    }
    const agreed = this.settled.agreeingWith(notification);
    const isFollowed = this.electorate.isFollowing(agreed, this.options.sid);
    if (isFollowed && this.isLeading(this.settled, vote)) {
      this.round.join(vote.electionEpoch);
      this.finish(vote);
    } else {
      this.lone.noteLeader(sid, notification, this.electorate);
      this.conclude();
    }
  }

  /** A leader must have said that it leads; for this server, the round decides. */
  private isLeading(among: Ballots, { leader, electionEpoch }: Vote): boolean {
    return leader === this.options.sid ? this.round.is(electionEpoch) : among.hasLeading(leader);
  }

  private finish(vote: Vote): void {
    assert(this.own === 'looking', 'vote: an election ends twice', vote.leader);
    assert(this.electorate.has(vote.leader), 'vote: for a server that has none', vote.leader);
    assert(this.elected === undefined, 'vote: two winners in one election', vote.leader);
    this.supporters.begin(this.votes.votingFor(vote));
    this.elected = vote;
    this.settle(vote);
    this.sendOutcome();
  }

  private settle(vote: Vote): void {
    this.proposal = vote;
    if (vote.leader === this.options.sid) this.own = 'leading';
    else this.own = this.candidate?.isObserver === true ? 'observing' : 'following';
    this.repeatAtMs = NEVER;
    this.finalAtMs = NEVER;
    assert(this.nextWakeMs === NEVER, 'vote: a wait after the election');
  }

  /** Sends the result to servers that may lack it, or need a vote that was never sent. */
  private sendOutcome(): void {
    const isSure = (sid: number) =>
      this.settled.has(sid) || this.supporters.has(sid) || this.outbox.has(sid);
    const unsure = [...this.electorate.members()].filter((sid) => !isSure(sid));
    this.send([...unsure, ...this.outbox.askers]);
  }

  private answerSettled(sid: number, { electionEpoch }: Vote): void {
    assert(this.own !== 'looking', 'vote: an outcome without an election', sid);
    const isLaterRound = electionEpoch > this.proposal.electionEpoch;
    if (this.own === 'leading') this.supporters.noteLooking(sid, isLaterRound);
    this.send([sid]);
  }

  private send(sids: readonly number[]): void {
    const { own: state, proposal: vote } = this;
    const notification = { state, vote, version: 2, config: this.electorate.text };
    for (const sid of sids) this.outbox.send(sid, notification);
  }
}
