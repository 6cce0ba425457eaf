import type {
  ConfigView,
  LeaderView,
  ObserverView,
  QuorumView,
  ServerMode,
  SessionsView,
} from '../../fourlw/base/server-view.js';
import { listed } from '../../fourlw/base/slices.js';
import type { AdminQuorumView } from '../admin/admin-view.js';
import type { ConfigFacts, HostView } from '../admin/host-view.js';
import { LiveView } from '../admin/view.js';
import type { QuorumServerConfig } from '../config/config-ensemble.js';
import type { Server } from '../server.js';
import { Leader } from './leading/leader.js';
import type { LearnerHandler } from './leading/learners.js';
import { Learner } from './learning/learner.js';
import { formatClientPlace, formatQuorumConfig, isVoter } from './membership/quorum-config.js';
import { ReadOnlyPipeline } from './peer/member-server.js';
import type { Peer } from './peer/peer.js';

/** The four-letter words' view of a member. */
export class MemberView extends LiveView {
  private readonly peer: Peer;

  constructor(
    peer: Peer,
    server: Server,
    host: HostView,
    facts: () => ConfigFacts,
    version: string,
  ) {
    super(server, host, facts, version);
    this.peer = peer;
  }

  override get isServing(): boolean {
    return this.server.pipeline !== null && this.server.isOpen;
  }

  override get mode(): ServerMode {
    if (this.isReadOnly) return 'read-only';
    const kind = this.peer.role?.kind;
    if (kind === 'leading') return 'leader';
    return kind === 'observing' ? 'observer' : 'follower';
  }

  override get isReadOnly(): boolean {
    return this.server.pipeline instanceof ReadOnlyPipeline;
  }

  get quorum(): QuorumView | undefined {
    if (this.isReadOnly) return undefined;
    const { role } = this.peer;
    const { config } = this.peer.membership;
    const voters = [...config.members.keys()].filter((sid) => isVoter(config, sid));
    const peerState = role === null ? 'looking' : `${role.kind} - ${role.phase}`;
    const view = { peerState, quorumSize: voters.length };
    if (!(role instanceof Learner)) return view;
    if (role.kind === 'observing') return { ...view, observerMasterId: BigInt(role.masterSid) };
    if (role.master === null) return view;
    return { ...view, syncedObservers: this.observerHandlers().length };
  }

  /** Apache's server has no metric of its oracle. */
  override get extraGauges(): readonly (readonly [name: string, value: number])[] {
    const { role } = this.peer;
    const isAlone = role instanceof Leader && role.lone?.isAlone === true;
    return isAlone ? [...super.extraGauges, ['leads_alone', 1]] : super.extraGauges;
  }

  // Undefined on all members but the leader, because the words check whether it exists.
  get leader(): LeaderView | undefined {
    const { role } = this.peer;
    if (!(role instanceof Leader) || role.broadcast === null) return undefined;
    const { config } = this.peer.membership;
    const { broadcast } = role;
    const learners = [...role.learners.all()];
    const synced = learners.filter(({ isSynced }) => isSynced);
    const followers = synced.filter(({ isObserver }) => !isObserver);
    const voting = followers.filter(({ sid }) => isVoter(config, sid));
    return {
      proposalSizes: broadcast.proposalSizes,
      learners: learners.length,
      syncedFollowers: voting.length,
      syncedNonVotingFollowers: followers.length - voting.length,
      syncedObservers: synced.length - followers.length,
      pendingSyncs: broadcast.pendingSyncs,
      leaderUptimeMs: broadcast.uptimeMs,
    };
  }

  private observerHandlers(): LearnerHandler[] {
    const { role } = this.peer;
    const learners = role instanceof Leader ? role.learners : undefined;
    const observers = role instanceof Learner ? role.master?.learners : learners;
    const all = [...(observers?.all() ?? [])];
    return all.filter(({ isObserver, isForwardedTo }) => isObserver && isForwardedTo);
  }

  override observers(): readonly ObserverView[] {
    return this.observerHandlers().map(({ remote, sid, openedMs, stats }) => ({
      remote,
      sid,
      establishedMs: openedMs,
      ...stats,
    }));
  }

  override resetObserverStats(): void {
    for (const { stats } of this.observerHandlers()) stats.reset();
  }

  override get config(): ConfigView {
    const { limits, sid } = this.peer;
    const membership = this.peer.membership.config;
    const own = membership.members.get(sid);
    const lines = formatQuorumConfig(membership).split('\n');
    return {
      ...super.config,
      quorum: {
        initLimit: limits.initLimit,
        syncLimit: limits.syncLimit,
        electionAlg: 3,
        electionPorts: own?.addresses.map(({ electionPort }) => electionPort) ?? [],
        quorumPorts: own?.addresses.map(({ quorumPort }) => quorumPort) ?? [],
        peerType: own?.role ?? 'participant',
        membership: {
          servers: lines.filter((line) => !line.startsWith('version=')),
          version: membership.version,
        },
      },
    };
  }

  override askForLeadership(): boolean {
    const { role } = this.peer;
    return role instanceof Leader || (role instanceof Learner && role.askForLeadership());
  }

  override sessions(): SessionsView {
    if (this.peer.role instanceof Leader) return super.sessions();
    const { sessions } = this.state;
    const shown = listed(sessions.values(), sessions.size, ({ id, timeoutMs }) => ({
      sessionId: id,
      timeoutMs,
    }));
    return { kind: 'learner', sessions: shown, ...this.localBuckets() };
  }
}

/** What the AdminServer's `leader`, `zabstate`, and `voting_view` report about a member. */
export function adminQuorumView({ sid, role, membership }: Peer): AdminQuorumView {
  const { config } = membership;
  const isLeader = role instanceof Leader;
  const leaderSid = role instanceof Learner ? role.leaderSid : isLeader ? sid : undefined;
  const leader = leaderSid === undefined ? undefined : config.members.get(leaderSid);
  return {
    myId: BigInt(sid),
    isLeader,
    leader:
      leader === undefined
        ? undefined
        : { sid: BigInt(leader.sid), ip: leader.addresses[0]?.host ?? '' },
    isVoter: isVoter(config, sid),
    zabState: role === null ? 'election' : role.phase,
    members: [...config.members.values()].map(memberView),
  };
}

function memberView(server: QuorumServerConfig): AdminQuorumView['members'][number] {
  const { addresses } = server;
  return {
    sid: BigInt(server.sid),
    serverAddresses: addresses.map(({ host, quorumPort: port }) => ({ host, port })),
    electionAddresses: addresses.map(({ host, electionPort: port }) => ({ host, port })),
    clientAddress: server.client === null ? '' : formatClientPlace(server.client),
    learnerType: server.role,
  };
}
