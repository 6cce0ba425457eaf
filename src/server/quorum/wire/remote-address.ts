/** Whether a connection may come from a member, judged by the addresses of its configuration. */
import { formatIp, parseIp } from '../../../protocol/ip-address.js';
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

/** One text for each address; an IPv4 address in IPv6 is itself. Null for a hostname. */
export function canonicalIp(text: string): string | null {
  const bare = text
    .replace(/^\[|\]$/g, '')
    .replace(/%.*$/, '')
    .replace(/^::ffff:(?=[\d.]+$)/i, '');
  const bytes = parseIp(bare);
  return bytes === undefined ? null : formatIp(bytes);
}
