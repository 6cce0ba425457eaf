import type { ParsedConf } from '../../fourlw/conf.js';
import {
  parseQuorumConfig,
  type QuorumConfig,
} from '../../server/quorum/membership/quorum-config.js';
import { type Member, parsedOf } from './member.js';

/** The lines `server.N`, `group.N`, and `weight.N` of an answer to conf. */
export function membershipOf({ servers, values }: ParsedConf): string {
  return [
    ...Object.entries(servers).map(([sid, value]) => `server.${sid}=${value}\n`),
    ...Object.entries(values)
      .filter(([name]) => isOfGroups(name))
      .map(([name, value]) => `${name}=${value}\n`),
  ].join('');
}

/** Whether conf prints the setting as part of the membership, besides the servers. */
export function isOfGroups(name: string): boolean {
  return /^(group|weight)\.-?\d+$/.test(name);
}

/**
 * The configuration with groups that a member reports, or else the list that names it. Undefined
 * without groups; a string tells why it cannot be read.
 */
export function groupedOf(member: Member): QuorumConfig | string | undefined {
  const conf = parsedOf(member, 'conf');
  const text = conf === undefined ? member.address.seat?.membership : membershipOf(conf);
  if (text === undefined || !/^group\./m.test(text)) return undefined;
  const version = conf?.configVersion === undefined ? '' : `version=${conf.configVersion}`;
  return parseQuorumConfig(`${text.trimEnd()}\n${version}`);
}
