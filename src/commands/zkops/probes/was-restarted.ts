import { metricOf } from '../../../fourlw/mntr.js';
import { metricsOf, serverOf } from '../../ensemble/member.js';
import type { MemberStatus } from '../../ensemble/status.js';

export interface Restart {
  readonly before: MemberStatus;
  /** By performance.now(), before the command. */
  readonly startedAt: number;
  wasDown: boolean;
}

/** A new process was down, or has a short uptime, or counts fewer packets than before. */
export function wasRestarted({ before, startedAt, wasDown }: Restart, now: MemberStatus): boolean {
  if (wasDown || !before.isServing) return true;
  const metrics = metricsOf(now.member);
  const uptimeMs = metrics && metricOf(metrics, 'uptime');
  if (uptimeMs !== undefined) return uptimeMs < performance.now() - startedAt;
  const [packets, packetsBefore] = [now, before].map(({ member }) => serverOf(member)?.received);
  return packets !== undefined && packetsBefore !== undefined && packets < packetsBefore;
}
