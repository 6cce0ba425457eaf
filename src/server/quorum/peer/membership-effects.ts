/** The effects of a changed membership: connections, and files for the next start. */
import type { QuorumEffect } from '../../effects.js';
import type { Membership } from '../membership/membership.js';
import { formatQuorumConfig } from '../membership/quorum-config.js';

export function membersOf({ config, next }: Membership): QuorumEffect {
  const proposed = [...(next?.members.values() ?? [])];
  return { kind: 'members', members: [...config.members.values()], proposed };
}

export function nextChanged(membership: Membership): QuorumEffect[] {
  const { next } = membership;
  const text = next === null ? null : formatQuorumConfig(next);
  return [membersOf(membership), { kind: 'write-next-config', text }];
}

export function configChanged(membership: Membership): QuorumEffect[] {
  const text = formatQuorumConfig(membership.config);
  const isSettled = membership.next === null;
  return [membersOf(membership), { kind: 'write-config', text, isSettled }];
}
