import { assert } from '../../../base/assert.js';
import { formatIp, parseIp } from '../../../protocol/ip-address.js';
import { hex64 } from '../../../protocol/zxid.js';
import {
  type ClientPlace,
  type EnsembleLines,
  isEnsembleKey,
  parseEnsembleLine,
  type QuorumServerConfig,
} from '../../config/config-ensemble.js';
import { parseProperties } from '../../config/java-properties.js';

/**
 * The membership of an ensemble and its quorums (QuorumMaj, QuorumHierarchical). Its text is in
 * notifications, NEWLEADER, /zookeeper/config, and the dynamic configuration file.
 */

export interface QuorumConfig {
  /** The zxid of the reconfig that made it; 0n for the lines of zoo.cfg. */
  readonly version: bigint;
  /** By sid. */
  readonly members: ReadonlyMap<number, QuorumServerConfig>;
  /** Sids by group number; empty if a majority decides. */
  readonly groups: ReadonlyMap<number, readonly number[]>;
  /** By sid; the default is 1. */
  readonly weights: ReadonlyMap<number, number>;
}

/** Participants receive votes, whatever their weight. */
export function isParticipant(config: QuorumConfig, sid: number): boolean {
  return config.members.get(sid)?.role === 'participant';
}

/** Whether the server is a participant, in a hierarchy with a weight above 0. */
export function isVoter(config: QuorumConfig, sid: number): boolean {
  return weightOf(config, sid) > 0;
}

/** 1 if a majority decides, 0 for observers and strangers. */
export function weightOf(config: QuorumConfig, sid: number): number {
  if (!isParticipant(config, sid)) return 0;
  return config.groups.size === 0 ? 1 : (config.weights.get(sid) ?? 1);
}

/** Ascending. */
export function voters(config: QuorumConfig): number[] {
  return participants(config).filter((sid) => isVoter(config, sid));
}

/** Ascending, including those of weight 0. */
export function participants(config: QuorumConfig): number[] {
  return [...config.members.keys()]
    .filter((sid) => isParticipant(config, sid))
    .sort((a, b) => a - b);
}

/**
 * Whether the sids contain more than half of the voters or, in a hierarchy, more than half of the
 * weight in more than half of the groups with weight. Other sids are ignored.
 */
export function containsQuorum(config: QuorumConfig, sids: ReadonlySet<number>): boolean {
  return config.groups.size === 0 ? isMajority(config, sids) : isMajorityOfGroups(config, sids);
}

function isMajority(config: QuorumConfig, sids: ReadonlySet<number>): boolean {
  let all = 0;
  let agreed = 0;
  for (const { sid, role } of config.members.values()) {
    if (role !== 'participant') continue;
    all++;
    if (sids.has(sid)) agreed++;
  }
  assert(all > 0, 'config: no participant', config.version);
  return agreed * 2 > all;
}

function isMajorityOfGroups(config: QuorumConfig, sids: ReadonlySet<number>): boolean {
  const { groups, agreed } = countGroups(config, sids);
  return agreed * 2 > groups;
}

/** The groups with weight, and those of them where the sids have more than half of the weight. */
export function countGroups(
  config: QuorumConfig,
  sids: ReadonlySet<number>,
): { readonly groups: number; readonly agreed: number } {
  let groups = 0;
  let agreed = 0;
  for (const members of config.groups.values()) {
    let total = 0;
    let weight = 0;
    for (const sid of members) {
      // As in Apache's server, an observer's weight counts in its group, but it cannot agree.
      total += config.weights.get(sid) ?? weightOf(config, sid);
      if (sids.has(sid)) weight += weightOf(config, sid);
    }
    if (total === 0) continue;
    groups++;
    if (weight * 2 > total) agreed++;
  }
  return { groups, agreed };
}

/** Combines lines that were read together; a string names the missing part. */
export function makeQuorumConfig(
  { servers, groups, weights }: EnsembleLines,
  version: bigint,
): QuorumConfig | string {
  const config = {
    version,
    members: new Map(servers),
    groups: new Map(groups),
    weights: new Map(weights),
  };
  return problemOf(config) ?? config;
}

function problemOf(config: QuorumConfig): string | undefined {
  if (participants(config).length === 0) return 'no participant (expected at least one)';
  if (config.groups.size === 0) {
    return config.weights.size === 0 ? undefined : 'weights without groups (expected groups)';
  }
  const groupOf = new Map<number, number>();
  for (const [group, sids] of config.groups) {
    for (const sid of sids) {
      const other = groupOf.get(sid);
      if (other !== undefined) return `server ${sid} is in group ${other} and in group ${group}`;
      if (!config.members.has(sid))
        return `group.${group}: unknown server ${sid} (expected a line server.${sid})`;
      groupOf.set(sid, group);
    }
  }
  const stray = participants(config).find((sid) => !groupOf.has(sid));
  if (stray !== undefined) return `server ${stray} has no group`;
  return voters(config).length > 0 ? undefined : 'no weight above 0 (expected at least one)';
}

/** A string describes the error and its line. */
export function parseQuorumConfig(text: string): QuorumConfig | string {
  const lines: EnsembleLines = { servers: new Map(), groups: new Map(), weights: new Map() };
  let version = 0n;
  const { properties, problems } = parseProperties(text);
  const [syntax] = problems;
  if (syntax !== undefined) return `line ${syntax.line}: ${syntax.message}`;
  for (const { key, value: untrimmed, line } of properties) {
    const value = untrimmed.trim();
    if (key === 'version') {
      if (!/^[0-9a-fA-F]{1,16}$/.test(value)) {
        return `line ${line}: invalid version: "${value}" (expected up to 16 hex digits)`;
      }
      version = BigInt.asIntN(64, BigInt(`0x${value}`));
      continue;
    }
    const problem = isEnsembleKey(key)
      ? parseEnsembleLine(lines, key, value)
      : `unknown key: "${key}" (expected server.N, group.N, weight.N, or version)`;
    if (problem !== undefined) return `line ${line}: ${problem}`;
  }
  return makeQuorumConfig(lines, version);
}

/** The text as Apache's server prints it, without a trailing newline. */
export function formatQuorumConfig(config: QuorumConfig): string {
  const lines: string[] = [];
  for (const sid of inHashOrder([...config.members.keys()].sort((a, b) => a - b))) {
    const server = config.members.get(sid);
    if (server !== undefined) lines.push(`server.${sid}=${formatServer(server)}`);
  }
  if (config.groups.size > 0) {
    for (const [group, sids] of groupsInHashOrder(config)) {
      lines.push(`group.${group}=${sids.join(':')}`);
    }
    for (const sid of inHashOrder(weightedSids(config))) {
      lines.push(`weight.${sid}=${config.weights.get(sid) ?? 1}`);
    }
  }
  return [...lines, `version=${hex64(config.version)}`].join('\n');
}

/** The bytes of /zookeeper/config and of a reconfig txn: UTF-8, as in Apache's server. */
export function configData(config: QuorumConfig): string {
  return Buffer.from(formatQuorumConfig(config)).toString('latin1');
}

/** A string describes the error and its line. @param data one character for each byte */
export function parseConfigData(data: string): QuorumConfig | string {
  return parseQuorumConfig(Buffer.from(data, 'latin1').toString());
}

function weightedSids(config: QuorumConfig): number[] {
  const sids = new Set([...config.weights.keys(), ...participants(config)]);
  return [...sids].sort((a, b) => a - b);
}

function groupsInHashOrder(config: QuorumConfig): [number, number[]][] {
  const groupOf = new Map<number, number>();
  for (const [group, sids] of config.groups) for (const sid of sids) groupOf.set(sid, group);
  const found = new Map<number, number[]>();
  for (const sid of inHashOrder([...groupOf.keys()].sort((a, b) => a - b))) {
    const group = groupOf.get(sid) as number;
    found.set(group, [...(found.get(group) ?? []), sid]);
  }
  return inHashOrder([...found.keys()]).map((group) => [group, found.get(group) ?? []]);
}

/** The order of Java's HashMap, by low bits. Sids in one bucket are in ascending order. */
function inHashOrder(keys: readonly number[]): number[] {
  let capacity = 16;
  while (keys.length > capacity * 0.75) capacity *= 2;
  const place = (key: number) => {
    const hash = key < 0 ? ~key : key;
    return (hash ^ (hash >>> 16)) & (capacity - 1);
  };
  assert(new Set(keys).size === keys.length, 'config: a server or group twice', keys.length);
  return [...keys].sort((a, b) => place(a) - place(b));
}

function formatServer(server: QuorumServerConfig): string {
  const addresses = [...server.addresses]
    .sort((a, b) => compareText(a.host, b.host))
    .map(({ host, quorumPort, electionPort }) => `${inUri(host)}:${quorumPort}:${electionPort}`);
  const quorumPart = `${addresses.join('|')}:${server.role}`;
  const { client, secureClient } = server;
  const clientPart = client === null ? '' : `;${formatClientPlace(client)}`;
  if (secureClient === null) return quorumPart + clientPart;
  return `${quorumPart}${clientPart || ';'};${formatClientPlace(secureClient)}`;
}

/** "127.0.0.1:2181", or "0.0.0.0:2181" for all addresses. */
export function formatClientPlace({ address, port }: ClientPlace): string {
  return `${inUri(address ?? '0.0.0.0')}:${port}`;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** An IPv6 address in brackets, with all of its groups, as Java prints it. */
function inUri(host: string): string {
  if (!host.includes(':')) return host;
  const bytes = parseIp(host);
  return `[${bytes === undefined ? host : formatIp(bytes)}]`;
}

/** Whether the oracle lets the other of two voters go on without this one. */
export type IsExcused = (sid: number) => boolean;

/** The oracle was not asked. */
export const NOBODY: IsExcused = () => false;

/**
 * As `containsQuorum`; but if exactly two servers vote, without groups, one suffices while the
 * oracle excuses the other (QuorumOracleMaj).
 */
export function containsExcusedQuorum(
  config: QuorumConfig,
  sids: ReadonlySet<number>,
  isExcused: IsExcused,
): boolean {
  if (containsQuorum(config, sids)) return true;
  const pair = participants(config);
  if (pair.length !== 2 || config.groups.size > 0) return false;
  return pair.some((sid) => sids.has(sid)) && pair.every((sid) => sids.has(sid) || isExcused(sid));
}
