import { DEFAULT_CLIENT_PORT, parseServerAddress } from '../../client/base/connect-string.js';
import { type MemberAddress, placeOf } from './member-address.js';

export interface HostsFileFault {
  /** Starts at 1. */
  readonly line: number;
  readonly text: string;
  readonly message: string;
}

export interface HostsFile {
  /** In the order of the file, without duplicates. */
  readonly servers: readonly MemberAddress[];
  readonly faults: readonly HostsFileFault[];
}

/**
 * One `host[:port]` per line, IPv6 in brackets; `#` starts a comment. Blank lines and CRLF are
 * allowed. The default port is 2181. `zks://host[:port]` uses TLS, by default on 2281. The options
 * `observer`, `tls`, `admin=PORT`, and `name=NAME` may follow in any order.
 */
export function parseHostsFile(text: string): HostsFile {
  const servers: MemberAddress[] = [];
  const faults: HostsFileFault[] = [];
  const lineOf = new Map<string, number>();
  const withoutMark = text.startsWith('\ufeff') ? text.slice(1) : text;
  for (const [index, raw] of withoutMark.split(/\r?\n/).entries()) {
    const entry = raw.replace(/#.*/s, '').trim();
    if (entry === '') continue;
    const line = index + 1;
    const server = parseEntry(entry);
    if (typeof server === 'string') {
      faults.push({ line, text: entry, message: server });
      continue;
    }
    const names = [placeOf(server), server.name ?? ''];
    const twice = names.find((name) => name !== '' && lineOf.has(name));
    if (twice !== undefined) {
      const message = `${twice}: listed twice, first on line ${lineOf.get(twice)}`;
      faults.push({ line, text: entry, message });
    } else {
      for (const name of names) lineOf.set(name, line);
      servers.push(server);
    }
  }
  return { servers, faults };
}

function parseEntry(entry: string): MemberAddress | string {
  const [place = '', ...words] = entry.split(/\s+/);
  const isSecure = words.includes('tls') && !place.startsWith('zks://');
  try {
    const address = parseAddress(isSecure ? `zks://${place}` : place, entry);
    return words.reduce((server: MemberAddress, word) => withWord(server, word), address);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function parseAddress(place: string, entry: string): MemberAddress {
  if (place.includes(',')) {
    throw new RangeError(`invalid address: "${entry}" (expected one host on each line)`);
  }
  const scheme = /^(?!zks:)[a-z][a-z0-9+.-]*:\/\//i.exec(place)?.[0];
  if (scheme !== undefined) {
    throw new RangeError(
      `invalid address: "${entry}" (expected host[:port] without ${scheme}; zks:// selects TLS)`,
    );
  }
  if (/^[^[\]]*:[^[\]]*:/.test(place.replace(/^zks:\/\//, ''))) {
    const port = DEFAULT_CLIENT_PORT;
    throw new RangeError(
      `invalid address: "${entry}" (expected an IPv6 address in brackets, such as [::1]:${port})`,
    );
  }
  return parseServerAddress(place);
}

function withWord(server: MemberAddress, word: string): MemberAddress {
  const [, key, value = ''] = /^([a-z]+)=(.+)$/.exec(word) ?? [];
  if (word === 'tls') return server;
  if (word === 'observer') return { ...server, isObserver: true };
  if (key === 'name') return { ...server, name: value };
  if (key === 'admin') return { ...server, adminPort: parsePort(value) };
  throw new RangeError(
    `unknown option: "${word}" (expected observer, tls, admin=PORT, or name=NAME after host[:port])`,
  );
}

function parsePort(text: string): number {
  const port = /^\d+$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535)
    throw new RangeError(`invalid port: ${text} (expected 1 to 65535)`);
  return port;
}
