/**
 * The packets that a learner may send at each stage of its link to a leader or an observer master.
 * Any other packet ends the link before its content is parsed. Apache's handler has the same order
 * in its code (LearnerHandler.run).
 */
import type { Id } from '../../../protocol/data.js';
import type { Membership } from '../membership/membership.js';
import { PacketType } from '../wire/quorum-packet.js';
import type { LearnerHandler, LearnerStage } from './learner-handler.js';

const { ACK, ACKEPOCH, FOLLOWERINFO, OBSERVERINFO, PING, REQUEST, REVALIDATE } = PacketType;

/** Maps stages to packet types. */
export const ACCEPTED_PACKETS: Readonly<Record<LearnerStage, readonly number[]>> = {
  new: [FOLLOWERINFO, OBSERVERINFO],
  registered: [],
  informed: [ACKEPOCH],
  acked: [],
  searching: [],
  // Apache's learner logs in a separate thread and may ack a txn before NEWLEADER.
  syncing: [ACK, PING],
  synced: [ACK, PING],
  active: [ACK, PING, REQUEST, REVALIDATE],
};

export function isAccepted(stage: LearnerStage, type: number): boolean {
  return ACCEPTED_PACKETS[stage].includes(type);
}

/** Schemes that grant everything (DigestAuthenticationProvider.superDigest, X509's superUser). */
const SUPER_SCHEME = 'super';
const NO_IDS: readonly Id[] = [];

/**
 * The ids of a forwarded request. A server outside the membership may follow, because a joiner must
 * follow before a reconfig can add it. But it cannot vouch for a superuser.
 */
export function trustedIds(
  ids: readonly Id[] | null,
  { sid }: LearnerHandler,
  membership: Membership,
): readonly Id[] {
  if (ids === null) return NO_IDS;
  if (membership.isMember(sid)) return ids;
  return ids.some(isSuper) ? ids.filter((id) => !isSuper(id)) : ids;
}

function isSuper({ scheme }: Id): boolean {
  return scheme === SUPER_SCHEME;
}
