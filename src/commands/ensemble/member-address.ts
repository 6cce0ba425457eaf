import { formatServerAddress, type ServerAddress } from '../../client/base/connect-string.js';

/** The address of a member, and its options in the list. */
export interface MemberAddress extends ServerAddress {
  /** Replaces `host:port` in the output. */
  readonly name?: string;
  /** The port of its AdminServer, for information that the words lack. */
  readonly adminPort?: number;
  /** It has no vote, and does not count as a voter while it is down. */
  readonly isObserver?: true;
}

export function nameOf(address: MemberAddress): string {
  return address.name ?? formatServerAddress(address);
}

/** A key that is the same for every spelling of an address, to find duplicates. */
export function placeOf({ host, port }: ServerAddress): string {
  return formatServerAddress({ host: shortAddress(host).toLowerCase(), port });
}

/** Shortens `0:0:0:0:0:0:0:1`, as Java writes it, to `::1`; leaves other text unchanged. */
export function shortAddress(host: string): string {
  const url = `http://[${host}]/`;
  return host.includes(':') && URL.canParse(url) ? new URL(url).hostname.slice(1, -1) : host;
}
