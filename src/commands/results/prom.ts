import { zxidCounter, zxidEpoch } from '../../protocol/zxid.js';
import { isUp, type Member } from '../ensemble/member.js';
import { lagOf, statusOf } from '../ensemble/status.js';
import type { RunResult } from '../ensemble/verdict/result.js';
import { VERDICT_STATUS } from '../program/exit-status.js';
import { type Family, familyText, labelsOf, metricFamilies, type Sample } from './prom-metrics.js';

const ROLES = ['leader', 'follower', 'observer', 'standalone', 'read-only'] as const;

type Labels = Readonly<Record<string, string>>;

function sample(labels: Labels, value: number): Sample {
  return { suffix: '', labels: labelsOf(labels), value };
}

/** For node_exporter's textfile collector. A member without a quorum is up but does not serve. */
export function membersToProm(result: PromResult, task?: string): string {
  const { members } = result;
  return [
    ...verdictFamilies(result, task === undefined ? {} : { task }),
    ...memberFamilies(members),
    ...metricFamilies(members),
  ]
    .map(familyText)
    .join('');
}

type PromResult = Pick<RunResult, 'verdict' | 'timeMs' | 'members'>;

function verdictFamilies({ verdict, timeMs }: PromResult, own: Labels): readonly Family[] {
  // A task may report a problem in several places, but a series must be unique.
  const counts = new Map<string, number>();
  for (const { level, code, server = '' } of verdict.problems) {
    const labels = labelsOf({ ...own, server, code, level });
    counts.set(labels, (counts.get(labels) ?? 0) + 1);
  }
  return [
    gauge('zkops_verdict', '0 healthy, 1 warning, 2 critical, 3 cannot judge.', [
      sample(own, VERDICT_STATUS[verdict.level]),
    ]),
    gauge('zkops_last_run_timestamp_seconds', 'Time of the last query of the ensemble.', [
      sample(own, Math.floor(timeMs / 1000)),
    ]),
    gauge(
      'zkops_problem',
      'Number of problems in the verdict, by kind.',
      [...counts].map(([labels, value]) => ({ suffix: '', labels, value })),
    ),
  ];
}

function memberFamilies(members: readonly Member[]): readonly Family[] {
  const each = (measure: (member: Member) => number | undefined): Sample[] =>
    members.flatMap((member) => {
      const value = measure(member);
      return value === undefined ? [] : [sample({ server: member.server }, value)];
    });
  const zxid = (read: (zxid: bigint) => number) =>
    each((member) => {
      const value = statusOf(member).zxid;
      return value === undefined ? undefined : read(value);
    });
  return [
    gauge(
      'zk_up',
      'The member answers.',
      each(({ state }) => (isUp(state) ? 1 : 0)),
    ),
    gauge(
      'zk_serving',
      'The member serves reads and writes.',
      each((member) => (statusOf(member).isServing ? 1 : 0)),
    ),
    gauge('zk_role', 'The role of the member: 1 for its current role.', members.flatMap(roles)),
    gauge('zk_zxid_epoch', 'The epoch of the last zxid.', zxid(zxidEpoch)),
    // promtool rejects a type in a name, and the counter of a zxid is not a Prometheus counter.
    gauge('zk_zxid_txns', 'Txns of the epoch: the counter of the last zxid.', zxid(zxidCounter)),
    gauge(
      'zk_lag_txns',
      'Lag in txns from the newest member.',
      each((member) => {
        const lag = lagOf(member, members);
        return lag === undefined ? undefined : Number(lag);
      }),
    ),
    gauge(
      'zk_certificate_expiry_timestamp_seconds',
      'Expiry time of the certificate of the port.',
      each(({ certificateEndsMs: ends }) =>
        ends === undefined ? undefined : Math.floor(ends / 1000),
      ),
    ),
    gauge('zkops_error', 'Why the member gave no usable answer.', members.flatMap(errors)),
  ];
}

function gauge(name: string, help: string, samples: readonly Sample[]): Family {
  return { name, type: 'gauge', help, samples };
}

function roles(member: Member): Sample[] {
  const { role } = statusOf(member);
  if (role === undefined) return [];
  return ROLES.map((name) => sample({ server: member.server, role: name }, name === role ? 1 : 0));
}

function errors({ server, fault }: Member): Sample[] {
  return fault === undefined ? [] : [sample({ server, reason: fault.reason }, 1)];
}
