/**
 * The configuration that a reconfig requests, and who leads afterwards (PrepRequestProcessor,
 * Leader.getDesignatedLeader; docs/protocol.md).
 */

import { assert } from '../../../base/assert.js';
import type { Txn } from '../../../files/txn.js';
import { textOf } from '../../../files/txn-data.js';
import { ErrorCode } from '../../../protocol/error-code.js';
import { OpCode } from '../../../protocol/op-code.js';
import type { ReconfigRequest } from '../../../protocol/proto.js';
import {
  type EnsembleLines,
  parseEnsembleLine,
  type QuorumServerConfig,
} from '../../config/config-ensemble.js';
import type { Membership } from '../membership/membership.js';
import {
  containsQuorum,
  isVoter,
  parseConfigData,
  parseQuorumConfig,
  participants,
  type QuorumConfig,
} from '../membership/quorum-config.js';
import type { Acked } from './broadcast.js';

/** Null for any other txn. */
export function configOf(txn: Txn): QuorumConfig | null {
  if (txn.type !== OpCode.reconfig) return null;
  const config = parseConfigData(textOf(txn.data) ?? '');
  return typeof config === 'string' ? null : config;
}

export interface ReconfigRules {
  readonly membership: Membership;
  /** standaloneEnabled: an ensemble of one server cannot change its membership. */
  readonly isStandaloneEnabled: boolean;
  /** multiAddress.enabled: Apache's members without it cannot read several addresses. */
  readonly isMultiAddress: boolean;
  readonly followers: ReadonlySet<number>;
}

/** Returns the configuration with version `zxid`, or the error of the request. */
export function planReconfig(
  { membership, isStandaloneEnabled, isMultiAddress, followers }: ReconfigRules,
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
  const isCrowded = [...config.members.values()].some(({ addresses }) => addresses.length > 1);
  if (isCrowded && !isMultiAddress) return ErrorCode.BADARGUMENTS;
  const voters = participants(config).length;
  if (voters < (isStandaloneEnabled ? 2 : 1)) return ErrorCode.BADARGUMENTS;
  return containsQuorum(config, followers) ? config : ErrorCode.NEWCONFIGNOQUORUM;
}

/** Applies the servers that leave, then those that join; a string describes the error. */
function changed(present: QuorumConfig, joining: string, leaving: string): QuorumConfig | string {
  if (present.groups.size > 0) return 'an ensemble with groups accepts only a whole membership';
  const members = new Map(present.members);
  /** How many servers use a place: a comparison of each two of many joiners would take minutes. */
  const uses = new Map<string, number>();
  const count = (server: QuorumServerConfig | undefined, change: number): void => {
    if (server === undefined) return;
    for (const place of placesOf(server)) uses.set(place, (uses.get(place) ?? 0) + change);
  };
  for (const server of members.values()) count(server, 1);
  for (const text of listOf(leaving)) {
    if (!/^\d{1,9}$/.test(text)) return `expected a server id, found "${text}"`;
    count(members.get(Number(text)), -1);
    members.delete(Number(text));
  }
  for (const text of listOf(joining)) {
    const joiner = parseJoiner(text);
    if (typeof joiner === 'string') return joiner;
    count(members.get(joiner.sid), -1);
    const taken = placesOf(joiner).find((place) => (uses.get(place) ?? 0) > 0);
    if (taken !== undefined) return `server ${joiner.sid} uses ${taken}, as another one does`;
    count(joiner, 1);
    members.set(joiner.sid, joiner);
  }
  for (const [sid, server] of members) assert(server.sid === sid, 'config: a wrong sid', sid);
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
  const lines: EnsembleLines = { servers: new Map(), groups: new Map(), weights: new Map() };
  if (equals < 0) return `expected server.N=…, found "${text}"`;
  // Apache's server reads the id after the last dot, so "4=…" is server 4, too.
  const id = text.slice(text.lastIndexOf('.', equals) + 1, equals).trim();
  const problem = parseEnsembleLine(lines, `server.${id}`, text.slice(equals + 1).trim());
  if (problem !== undefined) return problem;
  const [server] = lines.servers.values();
  if (server === undefined || (server.client === null && server.secureClient === null)) {
    return `expected three ports, the client port after ";", found "${text}"`;
  }
  return server;
}

function placesOf({ addresses, client, secureClient }: QuorumServerConfig): string[] {
  const places = addresses.flatMap(({ host, quorumPort, electionPort }) => [
    `${host}:${quorumPort}`,
    `${host}:${electionPort}`,
  ]);
  for (const place of [client, secureClient]) {
    const isOwn = place !== null && place.address !== null && place.address !== '0.0.0.0';
    if (isOwn) places.push(`${place.address}:${place.port}`);
  }
  return places;
}

/** This server if it votes at the same address under `next`, or the voter with the latest ack. */
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
  assert(best === null || isVoter(next, best.sid), 'config: led by no voter', best?.sid);
  return best?.sid ?? sid;
}

function addressesOf(server: QuorumServerConfig | undefined): string {
  return (server?.addresses ?? []).map(({ host, quorumPort }) => `${host}:${quorumPort}`).join('|');
}
