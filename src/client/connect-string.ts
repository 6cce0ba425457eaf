import { pathFault } from '../protocol/path.js';

export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

export interface ConnectString {
  readonly servers: readonly ServerAddress[];
  /** "" or an absolute path without a trailing slash. */
  readonly chroot: string;
}

export const DEFAULT_CLIENT_PORT = 2181;

/**
 * Reads "host[:port][,host[:port]…][/chroot]"; an IPv6 address stands in brackets.
 * @throws RangeError that says which part is wrong
 */
export function parseConnectString(text: string): ConnectString {
  const slash = text.indexOf('/');
  const hosts = slash === -1 ? text : text.slice(0, slash);
  const chroot = slash === -1 ? '' : text.slice(slash).replace(/\/+$/, '');
  const fault = chroot === '' ? undefined : pathFault(chroot);
  if (fault !== undefined) throw new RangeError(`chroot ${chroot} is not a valid path: ${fault}`);
  const parts = hosts.split(',').map((part) => part.trim());
  return { servers: parts.map(parseServerAddress), chroot };
}

/** Reads "host", "host:port", "[v6]" or "[v6]:port". */
export function parseServerAddress(text: string): ServerAddress {
  const match = /^(?:\[([^\]]+)\]|([^:[\]\s]+))(?::(\d+))?$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  if (match === null || host === undefined) {
    throw new RangeError(`expected host[:port], found "${text}"`);
  }
  const port = match[3] === undefined ? DEFAULT_CLIENT_PORT : Number(match[3]);
  if (port < 1 || port > 65535) {
    throw new RangeError(`port ${match[3]} of "${text}" is not between 1 and 65535`);
  }
  return { host, port };
}

export function formatServerAddress({ host, port }: ServerAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
