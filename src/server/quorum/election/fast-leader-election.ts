/**
 * The election of a leader (FastLeaderElection). A looking server sends its vote to all, adopts any
 * better one, and finishes when a quorum votes the same; a latecomer joins the leader that a quorum
 * follows. A round has one winner. The epochs ensure that it knows every committed txn.
 */

import type { QuorumConfig } from '../membership/quorum-config.js';
import { decodeNotification, type Notification, PROBE_ROUND } from '../wire/notification.js';
import { Outbox, type OutboxOptions, type Outgoing } from '../wire/outbox.js';
import type { Candidacy, PeerState, Vote } from '../wire/vote.js';
import { Ballots } from './ballots.js';
import { type Candidate, hasHistory, initialVote } from './candidate.js';
import { ElectionRound } from './election-round.js';
import { Electorate } from './electorate.js';
import { LoneVote } from './lone-vote.js';
import { NewerConfigs } from './newer-configs.js';
import { Supporters } from './supporters.js';

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
  private electorate: Electorate;
  private candidate: Candidate | undefined;
  private readonly round = new ElectionRound();
  private own: PeerState = 'looking';
  private proposal: Vote;
  /** The votes of this round, including this server's. */
  private readonly votes = new Ballots();
  /** The votes of servers that have a leader, in any round. */
  private readonly settled = new Ballots();
  private readonly outbox: Outbox;
  readonly supporters = new Supporters();
  private elected: Vote | undefined;
  readonly newerConfigs: NewerConfigs;
  private readonly lone: LoneVote;
  private problem: string | undefined;
  private nowMs = 0;
  private intervalMs = 0;
  private repeatAtMs = NEVER;
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
    if (nowMs >= this.finalAtMs) {
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
    if (this.candidate !== undefined) this.candidate = { ...this.candidate, isObserver };
    this.settle({ ...this.proposal, leader, peerEpoch: BigInt(peerEpoch) });
  }

  /** A configuration that came with the vote may change the role. */
  becomeLearner(isObserver: boolean): void {
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
    this.settled.delete(sid);
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
    }
    this.votes.set(sid, notification);
    this.conclude();
  }

  /** Ends the round if a quorum agrees; at once if all voters have voted. */
  private conclude(): void {
    const agreed = this.votes.votingLike(this.proposal);
    if (!this.electorate.isQuorum(agreed)) this.finalAtMs = NEVER;
    else if (this.electorate.isEverybody(agreed)) this.finish(this.proposal);
    else if (this.finalAtMs === NEVER) this.finalAtMs = this.nowMs + this.options.finalizeWaitMs;
  }

  private receiveSettled(sid: number, notification: Notification): void {
    const { vote } = notification;
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
  }

  /** Sends the result to servers that may lack it, or need a vote that was never sent. */
  private sendOutcome(): void {
    const isSure = (sid: number) =>
      this.settled.has(sid) || this.supporters.has(sid) || this.outbox.has(sid);
    const unsure = [...this.electorate.members()].filter((sid) => !isSure(sid));
    this.send([...unsure, ...this.outbox.askers]);
  }

  private answerSettled(sid: number, { electionEpoch }: Vote): void {
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
