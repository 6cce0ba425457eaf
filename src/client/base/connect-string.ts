import {
  checkBoolean,
  checkText,
  checkWhole,
  rangeError,
  readFields,
} from '../../protocol/check-argument.js';
import { pathFault } from '../../protocol/path.js';

/** A server of a connect string. */
export interface ServerAddress {
  /** A name or an address; IPv6 without brackets. */
  readonly host: string;
  /** 1 to 65535. */
  readonly port: number;
  /** Uses TLS. */
  readonly isSecure?: true;
}

/** A connect string, parsed. */
export interface ConnectString {
  /** In the order of the text. */
  readonly servers: readonly ServerAddress[];
  /** "" or an absolute path without a trailing slash. */
  readonly chroot: string;
}

export const DEFAULT_CLIENT_PORT = 2181;
/** Apache's server has no default for secureClientPort. All examples of its manual use 2281. */
const DEFAULT_SECURE_PORT = 2281;
const SECURE_SCHEME = 'zks://';

/**
 * Parses "[zks://]host[:port][,host[:port]…][/chroot]"; an IPv6 address needs brackets. With zks://
 * all servers use TLS, and their default port is 2281.
 * @example
 * const { servers, chroot } = parseConnectString('zk1,zk2:2182/app');
 * console.log(servers.map(formatServerAddress), chroot); // ["zk1:2181", "zk2:2182"] "/app"
 * @throws RangeError that names the invalid part
 */
export function parseConnectString(text: string): ConnectString {
  checkText('connectString', text);
  if (text.startsWith(SECURE_SCHEME)) {
    const { servers, chroot } = parsePlain(text.slice(SECURE_SCHEME.length), DEFAULT_SECURE_PORT);
    return { servers: servers.map(secured), chroot };
  }
  return parsePlain(text, DEFAULT_CLIENT_PORT);
}

/**
 * The same server, over TLS.
 * @example
 * const { servers } = parseConnectString('zk1:2281');
 * const answers = await Promise.all(servers.map((one) => askWord(secured(one), 'srvr')));
 */
export function secured(address: ServerAddress): ServerAddress {
  const { host, port } = checkAddress('address', address);
  return { host, port, isSecure: true };
}

export function chrootStart(text: string): number {
  const hosts = /^[a-z-]+:\/\//.exec(text)?.[0].length ?? 0;
  const slash = text.indexOf('/', hosts);
  return slash === -1 ? text.length : slash;
}

function parsePlain(text: string, defaultPort: number): ConnectString {
  const slash = text.indexOf('/');
  const hosts = slash === -1 ? text : text.slice(0, slash);
  const chroot = slash === -1 ? '' : text.slice(slash).replace(/(?<!\/)\/+$/, '');
  const fault = chroot === '' ? undefined : pathFault(chroot);
  if (fault !== undefined) throw rangeError(`invalid chroot: ${chroot}: ${fault}`);
  return { servers: splitServers(hosts).map((part) => parseAddress(part, defaultPort)), chroot };
}

/** At least one part. Drops empty ones, as Apache's client does: templates end in a comma. */
export function splitServers(text: string): readonly string[] {
  const parts = text.split(',').map((part) => part.trim());
  const [first = '', ...others] = parts.filter((part) => part !== '');
  return [first, ...others];
}

/** Parses "host", "host:port", "[v6]" or "[v6]:port"; the prefix zks:// means TLS. */
export function parseServerAddress(text: string): ServerAddress {
  if (!text.startsWith(SECURE_SCHEME)) return parseAddress(text, DEFAULT_CLIENT_PORT);
  return secured(parseAddress(text.slice(SECURE_SCHEME.length), DEFAULT_SECURE_PORT));
}

function parseAddress(text: string, defaultPort: number): ServerAddress {
  const match = /^(?:\[([^\]]+)\]|([^:[\]\s]+))(?::(\d+))?$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  if (match === null || host === undefined) {
    throw rangeError(`server: invalid address: "${text}" (expected host[:port])`);
  }
  const port = match[3] === undefined ? defaultPort : Number(match[3]);
  if (port < 1 || port > 65535) {
    throw rangeError(`invalid port: ${match[3]} in "${text}" (expected 1 to 65535)`);
  }
  return { host, port };
}

/**
 * "host:port", with IPv6 in brackets.
 * @example
 * formatServerAddress({ host: '::1', port: 2181 }); // "[::1]:2181"
 */
export function formatServerAddress(address: ServerAddress): string {
  const { host, port } = checkAddress('address', address);
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** A copy. @throws TypeError or RangeError */
export function checkAddress(name: string, value: ServerAddress): ServerAddress {
  const { host, port, isSecure } = readFields(name, value, ['host', 'port', 'isSecure'], 'any');
  checkText(`${name}.host`, host);
  checkWhole(`${name}.port`, port, 0, 65535);
  if (isSecure !== undefined) checkBoolean(`${name}.isSecure`, isSecure);
  return isSecure === true ? { host, port, isSecure } : { host, port };
}
