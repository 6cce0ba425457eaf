/** Compares the address of a connection with those in the configuration of a member. */
import { formatIp, parseIp } from '../../../protocol/ip-address.js';
import type { QuorumServerConfig } from '../../config/config-ensemble.js';

/**
 * - `match`: the member has this address
 * - `other`: the member has only literal addresses, and not this one. NAT or a second network
 *   interface look the same, so this alone is not a reason to refuse a link.
 * - `unknown`: the member has a hostname or a wildcard, or is not configured
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

/** IPv4-mapped IPv6 becomes IPv4. Null for a hostname. */
export function canonicalIp(text: string): string | null {
  const bare = text
    .replace(/^\[|\]$/g, '')
    .replace(/%.*/s, '')
    .replace(/^::ffff:(?=[\d.]+$)/i, '');
  const bytes = parseIp(bare);
  return bytes === undefined ? null : formatIp(bytes);
}
