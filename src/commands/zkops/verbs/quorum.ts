import { summaryPart } from '../../../fourlw/mntr.js';
import { zxidCounter, zxidEpoch } from '../../../protocol/zxid.js';
import {
  LAG,
  metricColumn,
  ROLE,
  STATE,
  SYNCED,
  UPTIME,
  WRITE_RATE,
} from '../../ensemble/columns.js';
import { shortDuration } from '../../ensemble/format.js';
import { type Member, metricsOf, parsedOf, serverOf } from '../../ensemble/member.js';
import { serverData } from '../../ensemble/server-data.js';
import { sidOf, statusOf } from '../../ensemble/status.js';
import { type Column, JUDGED, type OpsVerb } from '../../ensemble/verb.js';

/** From the membership: `participant` or `observer`. */
function voteOf(member: Member): 'yes' | 'no' | undefined {
  const conf = parsedOf(member, 'conf');
  const sid = conf?.values['serverId'];
  const line = sid === undefined ? undefined : conf?.servers[sid];
  if (line === undefined) return undefined;
  return /:observer(;|$)/.test(line) ? 'no' : 'yes';
}

function textOf(member: Member, key: string): string | undefined {
  return metricsOf(member)?.values.get(key);
}

/** The longest p99 wait of a packet in the queues of this leader to its learners. */
function learnerQueueMs(member: Member): number | undefined {
  const metrics = metricsOf(member);
  if (metrics === undefined) return undefined;
  const names = new Set(
    [...metrics.values.keys()].flatMap(
      (key) => /(?:^|_)(\d+_learner_handler_qp_time_ms)$/.exec(key)?.[1] ?? [],
    ),
  );
  const waits = [...names].flatMap((name) => summaryPart(metrics, name, 'p99') ?? []);
  return waits.length === 0 ? undefined : Math.max(...waits);
}

const DAY_MS = 86_400_000;

/** When the zxid counter of this epoch runs out, at the rate since an earlier poll. */
function rolloverDays(member: Member): number | undefined {
  const { role, zxid } = statusOf(member);
  const rate = member.rates?.writesPerSecond;
  if (role !== 'leader' || zxid === undefined || !rate) return undefined;
  return Number(((2 ** 32 - zxidCounter(zxid)) / rate / 86_400).toFixed(1));
}

const COLUMNS: readonly Column[] = [
  STATE,
  { key: 'sid', rank: 2, codes: ['same-server'], value: sidOf },
  ROLE,
  { key: 'voter', rank: 4, value: voteOf },
  {
    title: 'EPOCH:COUNTER',
    key: 'epoch_counter',
    rank: 1,
    codes: ['zxid_used', 'not-in-sync'],
    value: (member) => {
      const zxid = serverOf(member)?.zxid;
      return zxid === undefined ? undefined : `${zxidEpoch(zxid)}:${zxidCounter(zxid)}`;
    },
  },
  { ...LAG, rank: 2 },
  SYNCED,
  { key: 'peer_state', rank: 5, value: (member) => textOf(member, 'peer_state') },
  {
    title: 'MASTER',
    key: 'observer_master',
    rank: 6,
    value: (member) => textOf(member, 'observer_master_id'),
  },
  metricColumn('SNAPS', 'snap_count', 8),
  metricColumn('DIFFS', 'diff_count', 8),
  { title: 'QUEUE ms', key: 'learner_queue_p99_ms', rank: 7, value: learnerQueueMs },
  WRITE_RATE,
  {
    title: 'ROLLOVER',
    key: 'zxid_rollover_days',
    rank: 7,
    codes: ['zxid_days'],
    value: rolloverDays,
    show: (days) => shortDuration(Number(days) * DAY_MS),
  },
  UPTIME,
];

export const quorum: OpsVerb = {
  name: 'quorum',
  summary: 'Show vote, role, lag, epoch, and counter of every member',
  words: ['srvr', 'mntr', 'conf'],
  ...JUDGED,
  columns: COLUMNS,
  data: (member) => ({
    ...serverData(member),
    sid: sidOf(member),
    isVoter: voteOf(member) === undefined ? undefined : voteOf(member) === 'yes',
    quorumSize: statusOf(member).quorumSize,
    syncedFollowers: statusOf(member).syncedFollowers,
    peerState: textOf(member, 'peer_state'),
    observerMaster: textOf(member, 'observer_master_id'),
    learnerQueueP99Ms: learnerQueueMs(member),
    zxidRolloverDays: rolloverDays(member),
  }),
};
