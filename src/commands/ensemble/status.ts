import { metricOf } from '../../fourlw/mntr.js';
import type { QuorumConfig } from '../../server/quorum/membership/quorum-config.js';
import { groupedOf } from './grouped.js';
import { isDown, type Member, metricsOf, parsedOf, roleOf, serverOf } from './member.js';

/** The values of a member, from any word that reported them. */
export interface MemberStatus {
  readonly member: Member;
  readonly role: string | undefined;
  readonly isServing: boolean;
  readonly isReadOnly: boolean;
  /** By its own answer, its configuration, or the list. */
  readonly isObserver: boolean;
  readonly zxid: bigint | undefined;
  /** Without the leader. */
  readonly syncedFollowers: number | undefined;
  /** By the word of its oracle (oraclePath), without the other of two voters. */
  readonly leadsAlone: boolean;
  /** Followers without a vote, before they join the ensemble. */
  readonly nonVoting: number;
  readonly quorumSize: number | undefined;
  /** The sorted quorum addresses of all members, with blanks between them, from `conf`. */
  readonly membership: string | undefined;
  readonly sid: string | undefined;
  /**
   * The configuration with groups that it reports, or else its list; undefined without groups. A
   * string tells why it cannot be read.
   */
  readonly grouped: QuorumConfig | string | undefined;
  /** The zxid of its configuration, from `conf`. */
  readonly configVersion: bigint | undefined;
}

const SERVING_ROLES: readonly string[] = ['leader', 'follower', 'observer', 'standalone'];

/** A cache: members never change, and columns, limits, and verdict need the same values. */
const known = new WeakMap<Member, MemberStatus>();

export function statusOf(member: Member): MemberStatus {
  const status = known.get(member) ?? readStatus(member);
  known.set(member, status);
  return status;
}

function readStatus(member: Member): MemberStatus {
  const role = roleOf(member);
  const server = serverOf(member);
  const metrics = metricsOf(member);
  const isReadOnly = role === 'read-only' || server?.isReadOnly === true;
  const hasRole = role !== undefined && SERVING_ROLES.includes(role);
  return {
    member,
    role,
    isServing: hasRole && !isReadOnly && !isDown(member.state),
    isReadOnly,
    isObserver: role === 'observer' || (role === undefined && member.address.isObserver === true),
    zxid: server?.zxid,
    syncedFollowers: metrics && metricOf(metrics, 'synced_followers'),
    leadsAlone: (metrics && metricOf(metrics, 'leads_alone')) === 1,
    nonVoting: (metrics && metricOf(metrics, 'synced_non_voting_followers')) ?? 0,
    quorumSize: metrics && metricOf(metrics, 'quorum_size'),
    membership: membershipOf(member),
    sid: sidOf(member) ?? member.address.seat?.sid,
    grouped: groupedOf(member),
    configVersion: configVersionOf(member),
  };
}

/** ClickHouse Keeper uses another name. */
export function sidOf(member: Member): string | undefined {
  const values = parsedOf(member, 'conf')?.values;
  return values?.['serverId'] ?? values?.['server_id'];
}

function configVersionOf(member: Member): bigint | undefined {
  const text = parsedOf(member, 'conf')?.configVersion ?? '';
  return /^[0-9a-fA-F]{1,16}$/.test(text) ? BigInt(`0x${text}`) : undefined;
}

/** Without client ports, which only a dynamic configuration has: `zk1:2888:3888 zk2:2888:3888`. */
function membershipOf(member: Member): string | undefined {
  const addresses = Object.values(parsedOf(member, 'conf')?.servers ?? {}).map((line) =>
    line.replace(/;.*/s, '').replace(/:(participant|observer)$/, ''),
  );
  return addresses.length === 0 ? undefined : addresses.sort().join(' ');
}

export function namesOf(statuses: readonly MemberStatus[]): string {
  return statuses.map(({ member }) => member.server).join(', ');
}

/**
 * Txns from a member to the newest zxid of a serving member of its epoch. A read-only member may
 * show uncommitted txns, so it has no lag and does not count.
 */
export function lagOf(member: Member, members: readonly Member[]): bigint | undefined {
  const own = statusOf(member);
  if (!own.isServing || own.role === 'standalone' || own.zxid === undefined) return undefined;
  let newest = own.zxid;
  for (const status of members.map(statusOf)) {
    const isMeasure = status.isServing && status.role !== 'standalone';
    if (isMeasure && status.zxid !== undefined && status.zxid > newest) newest = status.zxid;
  }
  return newest >> 32n === own.zxid >> 32n ? newest - own.zxid : undefined;
}
