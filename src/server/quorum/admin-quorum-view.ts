/** What the AdminServer's `leader`, `zabstate`, and `voting_view` report about a member. */
import type { AdminQuorumView } from '../admin/admin-view.js';
import type { QuorumServerConfig } from '../config/config-ensemble.js';
import { Leader } from './leading/leader.js';
import { Learner } from './learning/learner.js';
import { formatClientPlace, isVoter } from './membership/quorum-config.js';
import type { QuorumPeer } from './quorum-peer.js';

export function adminQuorumView({ sid, role, membership }: QuorumPeer): AdminQuorumView {
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
