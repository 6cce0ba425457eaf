import { DEFAULT_CLIENT_PORT, secured } from '../../client/base/connect-string.js';
import { isEnsembleKey } from '../../server/config/config-ensemble.js';
import { parseProperties } from '../../server/config/java-properties.js';
import type { MemberAddress } from './member-address.js';

/** As the server reads the file. Of duplicate keys, the last one counts. */
export function settingsOf(text: string): ReadonlyMap<string, string> {
  const { properties } = parseProperties(text);
  return new Map(properties.map(({ key, value }) => [key.trim(), value.trim()]));
}

/** The file with the `server.N` lines, if zoo.cfg names one. */
export function dynamicConfigFile(text: string): string | undefined {
  return settingsOf(text).get('dynamicConfigFile');
}

/**
 * The client addresses of `server.1=host:2888:3888;2181`. A member without a client port there has
 * the clientPort of the file, or with TLS its secureClientPort. A file without members is a
 * standalone server on this machine.
 * @param ports the client ports of members by name (`server.1`), from their own files
 * @throws RangeError that names the setting
 */
export function membersOfConfig(
  text: string,
  ports: ReadonlyMap<string, number> = new Map(),
): readonly MemberAddress[] {
  const settings = settingsOf(text);
  const plain = portOf('clientPort', settings.get('clientPort'));
  const secure = portOf('secureClientPort', settings.get('secureClientPort'));
  const own = plain ?? secure;
  const isSecure = plain === undefined && secure !== undefined;
  const members: MemberAddress[] = [];
  const membership = groupedMembership(settings);
  for (const [name, value] of settings) {
    if (!/^server\.\d+$/.test(name)) continue;
    const known = ports.get(name) ?? own;
    const member = memberOf(name, value, known);
    const seat =
      membership === undefined ? {} : { seat: { sid: name.slice('server.'.length), membership } };
    const isOwn = isSecure && member.port === known;
    members.push({ ...member, ...(isOwn ? secured(member) : {}), ...seat });
  }
  if (members.length > 0) return members;
  const address = settings.get(isSecure ? 'secureClientPortAddress' : 'clientPortAddress');
  const host = address === undefined || isAnyAddress(address) ? '127.0.0.1' : address;
  const member = { host, port: own ?? DEFAULT_CLIENT_PORT };
  return [isSecure ? secured(member) : member];
}

/** Undefined without groups. */
function groupedMembership(settings: ReadonlyMap<string, string>): string | undefined {
  const lines = [...settings].filter(([name]) => isEnsembleKey(name));
  if (!lines.some(([name]) => name.startsWith('group.'))) return undefined;
  return lines.map(([name, value]) => `${name}=${value}`).join('\n');
}

function memberOf(name: string, value: string, own: number | undefined): MemberAddress {
  const [peer = '', plain = '', secure = ''] = value.split(';');
  // Bars separate the addresses of one member; use the first.
  const host = hostOf(peer.split('|')[0] ?? '');
  if (host === undefined) {
    throw new RangeError(
      `${name}: invalid address: "${value}" (expected host:port:port[:role][;[address:]port[;[address:]tlsPort]])`,
    );
  }
  const role = /:observer$/.test(peer) ? ({ isObserver: true } as const) : {};
  const client = plain === '' ? secure : plain;
  if (client === '') return { host, port: own ?? DEFAULT_CLIENT_PORT, ...role };
  const at = client.lastIndexOf(':');
  const address = at === -1 ? '' : client.slice(0, at).replace(/^\[|\]$/g, '');
  const port = portOf(name, client.slice(at + 1)) ?? DEFAULT_CLIENT_PORT;
  const member = { host: address === '' || isAnyAddress(address) ? host : address, port, ...role };
  return plain === '' ? secured(member) : member;
}

function hostOf(peer: string): string | undefined {
  const match = /^(?:\[([^\]]+)\]|([^:[\]\s]+)):\d+:\d+/.exec(peer);
  return match?.[1] ?? match?.[2];
}

function isAnyAddress(host: string): boolean {
  return host === '0.0.0.0' || host === '::' || host === '0:0:0:0:0:0:0:0';
}

function portOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = /^\d+$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) {
    throw new RangeError(`${name}: invalid port: "${text}" (expected 1 to 65535)`);
  }
  return port;
}
