/**
 * The packets that a learner may send at each stage; any other packet ends its link unparsed.
 * Apache's handler has the same order (LearnerHandler.run).
 */
import type { Id } from '../../../protocol/data.js';
import type { Membership } from '../membership/membership.js';
import { PacketType } from '../wire/quorum-packet.js';
import type { LearnerHandler, LearnerStage } from './learner-handler.js';

const { ACK, ACKEPOCH, FOLLOWERINFO, OBSERVERINFO, PING, REQUEST, REVALIDATE } = PacketType;

const ACCEPTED_PACKETS: Readonly<Record<LearnerStage, readonly number[]>> = {
  new: [FOLLOWERINFO, OBSERVERINFO],
  registered: [],
  informed: [ACKEPOCH],
  acked: [],
  searching: [],
  streaming: [PING],
  // Apache's learner logs in a separate thread, so its ack of a txn may precede that of NEWLEADER.
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
 * The ids of a forwarded request. A server that joins must follow before a reconfig can add it, but
 * a server outside the membership cannot vouch for a superuser.
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
