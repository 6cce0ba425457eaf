import { formatServerAddress, type ServerAddress } from '../../client/connect-string.js';

/** Where a member is, and what the list says of it. */
export interface MemberAddress extends ServerAddress {
  /** What the output calls it instead of `host:port`. */
  readonly name?: string;
  /** Of its AdminServer, which is asked for what the words do not tell. */
  readonly adminPort?: number;
  /** It has no vote, and is not counted among the voters while it does not answer. */
  readonly isObserver?: true;
}

export function nameOf(address: MemberAddress): string {
  return address.name ?? formatServerAddress(address);
}

/** The same for one place, however its address is written: to find what is listed twice. */
export function placeOf({ host, port }: ServerAddress): string {
  return formatServerAddress({ host: shortAddress(host).toLowerCase(), port });
}

/** `0:0:0:0:0:0:0:1`, as Java writes it, is `::1`; what is no IPv6 address stays as it is. */
export function shortAddress(host: string): string {
  const url = `http://[${host}]/`;
  return host.includes(':') && URL.canParse(url) ? new URL(url).hostname.slice(1, -1) : host;
}
