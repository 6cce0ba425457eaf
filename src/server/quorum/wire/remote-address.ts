/** Whether a connection may come from a member, judged by the addresses of its configuration. */
import type { QuorumServerConfig } from '../../config/config-ensemble.js';

/**
 * - `match`: the address is one of the member's
 * - `other`: the member has literal addresses only, and this is not one of them. NAT or a second
 *   network interface look the same, so this alone must refuse nobody.
 * - `unknown`: the member has a hostname or a wildcard, or no line
 */
export type AddressMatch = 'match' | 'other' | 'unknown';

/** @param remote address and port, as a link has it */
export function matchAddress(remote: string, member: QuorumServerConfig | undefined): AddressMatch {
  const found = canonicalIp(remote.slice(0, Math.max(remote.lastIndexOf(':'), 0)));
  const known = member?.addresses.map(({ host }) => canonicalIp(host)) ?? [];
  if (found === null || known.length === 0) return 'unknown';
  if (known.includes(found)) return 'match';
  return known.every((host) => host !== null && !WILDCARDS.has(host)) ? 'other' : 'unknown';
}

const WILDCARDS = new Set(['0.0.0.0', '0:0:0:0:0:0:0:0']);
const IPV4 = /^\d{1,3}(\.\d{1,3}){3}$/;
const MAPPED = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/;

/** One text for each address; an IPv4 address in IPv6 is itself. Null for a hostname. */
export function canonicalIp(text: string): string | null {
  const bare = text
    .replace(/^\[|\]$/g, '')
    .replace(/%.*$/, '')
    .toLowerCase();
  if (IPV4.test(bare)) return bare;
  const mapped = MAPPED.exec(bare)?.[1];
  if (mapped !== undefined) return mapped;
  if (!bare.includes(':')) return null;
  const [head = '', tail, ...more] = bare.split('::');
  const [before, after] = [groupsOf(head), groupsOf(tail ?? '')];
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...Array<string>(Math.max(zeros, 0)).fill('0'), ...after];
  const isAddress =
    more.length === 0 && groups.length === 8 && groups.every((group) => HEX_GROUP.test(group));
  return isAddress
    ? groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')
    : null;
}

const HEX_GROUP = /^[0-9a-f]{1,4}$/;

function groupsOf(part: string): string[] {
  return part === '' ? [] : part.split(':');
}
