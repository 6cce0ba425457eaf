/**
 * Changing the membership while serving: what a reconfig asks for, and who leads afterwards
 * (PrepRequestProcessor, Leader.getDesignatedLeader; docs/protocol.md).
 */
import { ErrorCode } from '../../../protocol/error-code.js';
import { OpCode } from '../../../protocol/op-code.js';
import type { ReconfigRequest } from '../../../protocol/proto.js';
import { parseEnsembleLine, type QuorumServerConfig } from '../../config/config-ensemble.js';
import type { Txn } from '../../tree/txn.js';
import type { Membership } from '../membership/membership.js';
import {
  containsQuorum,
  isVoter,
  parseQuorumConfig,
  participants,
  type QuorumConfig,
} from '../membership/quorum-config.js';
import type { Acked } from './outstanding-proposals.js';

/** The configuration that a reconfig txn holds; null for any other txn. */
export function configOf(txn: Txn): QuorumConfig | null {
  if (txn.type !== OpCode.reconfig) return null;
  const config = parseQuorumConfig(txn.data ?? '');
  return typeof config === 'string' ? null : config;
}

export interface ReconfigRules {
  readonly membership: Membership;
  /** standaloneEnabled: an ensemble of one has no quorum to change. */
  readonly isStandaloneEnabled: boolean;
  /** Who follows in sync, and this leader itself. */
  readonly followers: ReadonlySet<number>;
}

/** The configuration that the request leads to, of version `zxid`; or the error it earns. */
export function planReconfig(
  { membership, isStandaloneEnabled, followers }: ReconfigRules,
  request: ReconfigRequest,
  zxid: bigint,
): QuorumConfig | ErrorCode {
  if (membership.next !== null) return ErrorCode.RECONFIGINPROGRESS;
  const { config: present } = membership;
  const isOther = request.curConfigId !== -1n && request.curConfigId !== present.version;
  if (isOther) return ErrorCode.BADVERSION;
  const { newMembers, joiningServers, leavingServers } = request;
  const wanted =
    newMembers === null
      ? changed(present, joiningServers ?? '', leavingServers ?? '')
      : parseQuorumConfig(newMembers.replaceAll(',', '\n'));
  if (typeof wanted === 'string') return ErrorCode.BADARGUMENTS;
  const config = { ...wanted, version: zxid };
  const voters = participants(config).length;
  if (voters < (isStandaloneEnabled ? 2 : 1)) return ErrorCode.BADARGUMENTS;
  return containsQuorum(config, followers) ? config : ErrorCode.NEWCONFIGNOQUORUM;
}

/** Servers that leave and servers that join, in this order; a string says what is wrong. */
function changed(present: QuorumConfig, joining: string, leaving: string): QuorumConfig | string {
  if (present.groups.size > 0) return 'an ensemble with groups is changed as a whole only';
  const members = new Map(present.members);
  for (const text of listOf(leaving)) {
    if (!/^\d{1,9}$/.test(text)) return `expected the number of a server, found "${text}"`;
    members.delete(Number(text));
  }
  for (const text of listOf(joining)) {
    const joiner = parseJoiner(text);
    if (typeof joiner === 'string') return joiner;
    members.delete(joiner.sid);
    const twin = [...members.values()].find((other) => shareAddress(other, joiner));
    if (twin !== undefined) return `server ${joiner.sid} has an address of server ${twin.sid}`;
    members.set(joiner.sid, joiner);
  }
  return { version: 0n, members, groups: new Map(), weights: new Map() };
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function parseJoiner(text: string): QuorumServerConfig | string {
  const equals = text.indexOf('=');
  const lines = { servers: [] as QuorumServerConfig[], groups: new Map(), weights: new Map() };
  const key = text.slice(0, equals).trim();
  if (equals < 0 || !key.startsWith('server.')) return `expected server.N=…, found "${text}"`;
  const problem = parseEnsembleLine(lines, key, text.slice(equals + 1).trim());
  if (problem !== undefined) return problem;
  const [server] = lines.servers;
  if (server === undefined || server.clientPort === null) {
    return `expected three ports, the client's behind ";", found "${text}"`;
  }
  return server;
}

function shareAddress(a: QuorumServerConfig, b: QuorumServerConfig): boolean {
  const places = new Set(placesOf(a));
  return placesOf(b).some((place) => places.has(place));
}

function placesOf({ addresses, clientAddress, clientPort }: QuorumServerConfig): string[] {
  const places = addresses.flatMap(({ host, quorumPort, electionPort }) => [
    `${host}:${quorumPort}`,
    `${host}:${electionPort}`,
  ]);
  const isOwn = clientAddress !== null && clientAddress !== '0.0.0.0';
  if (isOwn && clientPort !== null) places.push(`${clientAddress}:${clientPort}`);
  return places;
}

/**
 * Who leads when `next` comes into force: this server where it votes there at the same address,
 * else the voter that has acked most.
 */
export function designatedLeader(
  present: QuorumConfig,
  next: QuorumConfig,
  sid: number,
  acked: readonly Acked[],
): number {
  const isSame = addressesOf(present.members.get(sid)) === addressesOf(next.members.get(sid));
  if (isVoter(next, sid) && isSame) return sid;
  let best: Acked | null = null;
  for (const other of acked) {
    if (other.sid === sid || !isVoter(next, other.sid)) continue;
    if (best === null || other.zxid > best.zxid) best = other;
  }
  return best?.sid ?? sid;
}

function addressesOf(server: QuorumServerConfig | undefined): string {
  return (server?.addresses ?? []).map(({ host, quorumPort }) => `${host}:${quorumPort}`).join('|');
}
