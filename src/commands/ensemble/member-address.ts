import { formatServerAddress, type ServerAddress } from '../../client/base/connect-string.js';

export interface MemberAddress extends ServerAddress {
  /** Replaces `host:port` in the output. */
  readonly name?: string;
  readonly adminPort?: number;
  /** It does not count as a voter while it is down. */
  readonly isObserver?: true;
  /** From a list that has groups. */
  readonly seat?: Seat;
}

/** What a configuration with groups says of a member, for one that does not report it. */
export interface Seat {
  readonly sid: string;
  /** The lines of all members, groups, and weights. */
  readonly membership: string;
}

export function nameOf(address: MemberAddress): string {
  return address.name ?? formatServerAddress(address);
}

/** Undefined if its port is unknown. */
export function adminUrlOf({ host, adminPort }: MemberAddress): URL | undefined {
  if (adminPort === undefined) return undefined;
  return new URL(`http://${formatServerAddress({ host, port: adminPort })}`);
}

/** The same text for every spelling of an address. */
export function placeOf({ host, port }: ServerAddress): string {
  return formatServerAddress({ host: shortAddress(host).toLowerCase(), port });
}

/** Shortens `0:0:0:0:0:0:0:1`, as Java writes it, to `::1`. */
export function shortAddress(host: string): string {
  const url = `http://[${host}]/`;
  return host.includes(':') && URL.canParse(url) ? new URL(url).hostname.slice(1, -1) : host;
}
