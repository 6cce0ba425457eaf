import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import {
  chrootStart,
  parseConnectString,
  parseServerAddress,
  splitServers,
} from '../../client/base/connect-string.js';
import { ConnectError } from '../../client/base/errors.js';
import { checkSrvTarget, isSrvTarget, resolveSrv } from '../../client/hosts/srv-target.js';
import { badFile, usageError } from '../program/command-error.js';
import { parseHostsFile } from './hosts-file.js';
import { type MemberAddress, placeOf } from './member-address.js';
import { dynamicConfigFile, membersOfConfig } from './zoo-cfg-members.js';
import { portsOfSiblings } from './zoo-cfg-siblings.js';

export const MEMBER_SOURCES = ['ensemble', 'servers', 'connect', 'config'] as const;

/** At most one field is set. */
export interface MemberSource {
  readonly ensemble?: string;
  readonly servers?: string;
  readonly connect?: string;
  readonly config?: string;
}

/** Like zksh's default. */
const DEFAULT_SERVERS = '127.0.0.1:2181';
const SECURE = 'zks://';

/** @throws CommandError 64 for a bad list or more than one source, 65 for a bad file */
export function resolveMembers(source: MemberSource): readonly MemberAddress[] {
  const given = MEMBER_SOURCES.filter((name) => source[name] !== undefined);
  if (given.length > 1) {
    const names = given.map((name) => `--${name}`).join(' and ');
    throw usageError(`${names}: cannot combine these options (expected one list of members)`);
  }
  if (source.ensemble !== undefined) return fromHostsFile(source.ensemble);
  if (source.config !== undefined) return fromConfig(source.config);
  if (source.connect !== undefined) return fromConnectString(source.connect);
  return fromList(source.servers ?? DEFAULT_SERVERS);
}

/** Resolves a DNS name in the source to its servers. @throws CommandError */
export async function withNamedServers(source: MemberSource): Promise<MemberSource> {
  const { servers, connect } = source;
  return {
    ...source,
    ...(servers === undefined ? {} : { servers: await named('--servers', servers) }),
    ...(connect === undefined ? {} : { connect: await named('--connect', connect) }),
  };
}

async function named(option: string, text: string): Promise<string> {
  if (!isSrvTarget(text)) return text;
  try {
    checkSrvTarget(text);
    const target = await resolveSrv(text);
    return target.slice(0, chrootStart(target));
  } catch (error) {
    if (!(error instanceof RangeError) && !(error instanceof ConnectError)) throw error;
    throw usageError(`${option}: ${error.message}`, undefined, { cause: error });
  }
}

/** Java reads properties as ISO-8859-1, so the files of a server are read so, too. */
function readFile(option: string, file: string, encoding: 'latin1' | 'utf8' = 'latin1'): string {
  try {
    return readFileSync(file, encoding);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw badFile([`${option} ${file}: cannot read: ${why}`], cause);
  }
}

function fromHostsFile(file: string): readonly MemberAddress[] {
  const { servers, faults } = parseHostsFile(readFile('--ensemble', file, 'utf8'));
  if (faults.length > 0) {
    const lines = faults.map(({ line, message }) => `${file}:${line}: ${message}`);
    throw badFile(lines);
  }
  if (servers.length === 0) {
    throw badFile([`${file}: has no server (expected one host[:port] per line)`]);
  }
  return servers;
}

function fromConfig(file: string): readonly MemberAddress[] {
  const text = readFile('--config', file);
  const dynamic = dynamicConfigFile(text);
  const dynamicText =
    dynamic === undefined
      ? ''
      : readFile('dynamicConfigFile', isAbsolute(dynamic) ? dynamic : join(dirname(file), dynamic));
  try {
    // A blank line ends a line that is continued.
    const whole = `${text}\n\n${dynamicText}`;
    const members = membersOfConfig(whole);
    if (repeated(members) === undefined) return members;
    const known = membersOfConfig(whole, portsOfSiblings(file, whole));
    const twice = repeated(known);
    if (twice === undefined) return known;
    throw new RangeError(
      `several servers share the client address ${twice}\n` +
        'add ;PORT to each server line, keep the zoo.cfg of the others beside it, or use --servers',
    );
  } catch (error) {
    if (error instanceof RangeError) {
      throw badFile([`${file}: ${error.message}`], error);
    }
    throw error;
  }
}

function fromConnectString(text: string): readonly MemberAddress[] {
  return asUsage('--connect', () => unique('--connect', parseConnectString(text).servers));
}

function fromList(text: string): readonly MemberAddress[] {
  // A scheme before the first server applies to all, as in a connect string.
  const scheme = text.startsWith(SECURE) ? SECURE : '';
  const parts = splitServers(text);
  const texts = parts.map((part) => (part.startsWith(SECURE) ? part : `${scheme}${part}`));
  return asUsage('--servers', () => unique('--servers', texts.map(parseServerAddress)));
}

function asUsage<Value>(option: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw usageError(`${option}: ${error.message}`, undefined, { cause: error });
  }
}

function repeated(servers: readonly MemberAddress[]): string | undefined {
  const names = servers.map(placeOf);
  return names.find((name, index) => names.indexOf(name) !== index);
}

/** A duplicate would count twice in the verdict. */
function unique(option: string, servers: readonly MemberAddress[]): readonly MemberAddress[] {
  const twice = repeated(servers);
  if (twice !== undefined) throw usageError(`${option}: lists ${twice} twice`);
  return servers;
}
