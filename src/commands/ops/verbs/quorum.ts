import { zxidCounter, zxidEpoch } from '../../../protocol/zxid.js';
import { LAG, ROLE, STATE, SYNCED, UPTIME } from '../columns.js';
import { type Member, metricsOf, parsedOf, serverOf } from '../member.js';
import { serverData } from '../server-data.js';
import { statusOf } from '../status.js';
import type { OpsVerb } from '../verb.js';

/** The member's line in the membership: `participant` or `observer`. */
function voteOf(member: Member): string | undefined {
  const conf = parsedOf(member, 'conf');
  const sid = conf?.values['serverId'];
  const line = sid === undefined ? undefined : conf?.servers[sid];
  if (line === undefined) return undefined;
  return /:observer(;|$)/.test(line) ? 'no' : 'yes';
}

export const quorum: OpsVerb = {
  name: 'quorum',
  summary: 'who votes, who leads, who is behind: epoch and counter of every member',
  words: ['srvr', 'mntr', 'conf'],
  judge: 'ensemble',
  isConfirmed: true,
  columns: [
    STATE,
    {
      title: 'SID',
      key: 'sid',
      rank: 2,
      value: (member) => parsedOf(member, 'conf')?.values['serverId'],
    },
    ROLE,
    { title: 'VOTER', key: 'voter', rank: 4, value: voteOf },
    {
      title: 'EPOCH:COUNTER',
      key: 'epoch_counter',
      rank: 1,
      value: (member) => {
        const zxid = serverOf(member)?.zxid;
        return zxid === undefined ? undefined : `${zxidEpoch(zxid)}:${zxidCounter(zxid)}`;
      },
    },
    { ...LAG, rank: 2 },
    SYNCED,
    {
      title: 'PEER STATE',
      key: 'peer_state',
      rank: 5,
      value: (member) => metricsOf(member)?.values.get('peer_state'),
    },
    UPTIME,
  ],
  data: (member) => ({
    ...serverData(member),
    sid: parsedOf(member, 'conf')?.values['serverId'],
    isVoter: voteOf(member) === undefined ? undefined : voteOf(member) === 'yes',
    quorumSize: statusOf(member).quorumSize,
    syncedFollowers: statusOf(member).syncedFollowers,
    peerState: metricsOf(member)?.values.get('peer_state'),
  }),
};
