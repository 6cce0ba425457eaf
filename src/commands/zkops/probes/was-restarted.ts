import { metricOf } from '../../../fourlw/mntr.js';
import { metricsOf, serverOf } from '../../ensemble/member.js';
import type { MemberStatus } from '../../ensemble/status.js';

/** The restart of one member. */
export interface Restart {
  readonly before: MemberStatus;
  /** By performance.now(), before the command. */
  readonly startedAt: number;
  wasDown: boolean;
}

/**
 * Whether the member is a new process since the command began: it was down, or its uptime is
 * shorter, or it counts fewer packets than before.
 */
export function wasRestarted({ before, startedAt, wasDown }: Restart, now: MemberStatus): boolean {
  if (wasDown || !before.isServing) return true;
  const metrics = metricsOf(now.member);
  const uptimeMs = metrics && metricOf(metrics, 'uptime');
  if (uptimeMs !== undefined) return uptimeMs < performance.now() - startedAt;
  const [packets, packetsBefore] = [now, before].map(({ member }) => serverOf(member)?.received);
  return packets !== undefined && packetsBefore !== undefined && packets < packetsBefore;
}
