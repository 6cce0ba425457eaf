/** Between the values of the npm package `zookeeper` and those of the client. */
import type { ReadOptions } from '../../client/base/client.js';
import type { ClientOptions } from '../../client/base/client-options.js';
import { ZooKeeperError } from '../../client/base/errors.js';
import type { NativeStat } from '../../client/native/native-binding.js';
import type { ACL as ClientACL, Stat as ClientStat } from '../../protocol/data.js';
import { CONSTANTS } from './constants.js';

/** The Stat of the old package. Zxids are exact up to 2^53. */
export interface Stat extends NativeStat {
  /** The id of the session in hex; "0" for a znode that is not ephemeral. */
  readonly ephemeralOwner: string;
  readonly createdInThisSession: boolean;
}

/** An entry of an ACL. Old versions call the permissions `perm`. */
export interface Acl {
  readonly perms?: number;
  readonly perm?: number;
  readonly scheme: string;
  readonly auth: string;
}

/** The argument of `init`, `connect`, and the constructor. */
export interface Config {
  /** "host:port,host:port/chroot" */
  readonly connect?: string;
  /** The session timeout in ms. Default 20000. */
  readonly timeout?: number;
  /** Ignored: `setLogger` logs, and the option `trace` of `zksh/client` shows the traffic. */
  readonly debug_level?: number;
  /** Whether to try the servers in the order of the list. Default false. */
  readonly host_order_deterministic?: boolean;
  /** False: data are strings. Default true. */
  readonly data_as_buffer?: boolean;
  /** Ignored: this client has no such limit. */
  readonly response_counter_limit?: number;
  /** With `client_password`, the session to continue: its id in hex. */
  readonly client_id?: string;
  /** 32 digits of hex. */
  readonly client_password?: string;
}

/** Watchers get the events of the session, too: type -1 and an empty path. */
export type WatchCallback = (type: number, state: number, path: string) => void;

const DEFAULT_TIMEOUT_MS = 20_000;
/** The old package never stops to connect; this is 24 days. */
const NEVER_MS = 0x7fff_ffff;
const PASSWORD_DIGITS = 32;
const LOWEST_CHARACTER = '\u001f';

/** @throws Error for half of a session, as the old package does */
export function clientOptions(config: Config): ClientOptions {
  const { connect = '', timeout = 0, host_order_deterministic: isOrdered = false } = config;
  return {
    connectString: connect,
    sessionTimeoutMs: toInt32(timeout) || DEFAULT_TIMEOUT_MS,
    connectTimeoutMs: NEVER_MS,
    requestTimeoutMs: 0,
    shouldShuffle: !isOrdered,
    ...sessionOf(config),
  };
}

function sessionOf({ client_id: id, client_password: password }: Config): Partial<ClientOptions> {
  if (id === undefined && password === undefined) return {};
  if (id === undefined || password === undefined) {
    throw new Error('client_id and client_password: one is missing (expected both or none)');
  }
  if (!/^[0-9a-f]+$/i.test(password) || password.length !== PASSWORD_DIGITS) {
    throw new Error(`client_password: wrong length or digits (expected ${PASSWORD_DIGITS} of hex)`);
  }
  const bits = BigInt.asIntN(64, BigInt(`0x${String(id).replace(/^0x/i, '')}`));
  return { session: { id: bits, password: Buffer.from(password, 'hex') } };
}

/** Numbers as the C++ of the old package reads them: null and undefined are 0. */
export function toInt32(value: unknown): number {
  return Number(value) | 0;
}

/** Data as the old package sends it: everything that is not bytes becomes a text. */
export function dataOf(data: unknown): string | Uint8Array {
  return data instanceof Uint8Array ? data : String(data);
}

/** 64 bits as hex, without leading zeros. */
export function hexOf(id: bigint): string {
  return BigInt.asUintN(64, id).toString(16);
}

export function statOf(stat: ClientStat, sessionId: bigint): Stat {
  return {
    czxid: Number(stat.czxid),
    mzxid: Number(stat.mzxid),
    pzxid: Number(stat.pzxid),
    dataLength: stat.dataLength,
    numChildren: stat.numChildren,
    version: stat.version,
    cversion: stat.cversion,
    aversion: stat.aversion,
    ctime: new Date(Number(stat.ctime)),
    mtime: new Date(Number(stat.mtime)),
    ephemeralOwner: hexOf(stat.ephemeralOwner),
    createdInThisSession: stat.ephemeralOwner === sessionId,
  };
}

export function aclOf(acl: readonly ClientACL[]): Acl[] {
  return acl.map(({ perms, id }) => ({ perms, scheme: id.scheme, auth: id.id }));
}

export function clientAcl(acl: readonly Acl[]): ClientACL[] {
  return acl.map(({ perms, perm, scheme, auth }) => ({
    perms: toInt32(perms ?? perm),
    id: { scheme: String(scheme), id: String(auth) },
  }));
}

/** What the callback of a failed call gets: the code of the server, or of the lost session. */
export function codeOf(error: unknown): number {
  if (error instanceof ZooKeeperError) return error.number;
  // The client checks its arguments before it sends them.
  if (error instanceof TypeError || error instanceof RangeError) return CONSTANTS.ZBADARGUMENTS;
  return CONSTANTS.ZSYSTEMERROR;
}

/**
 * Whether the C client sends a request with this path (isValidPath in zookeeper.c). The client
 * refuses more, after PathUtils of Java; then the callback gets ZBADARGUMENTS.
 */
export function isValidPath(path: string, isSequential = false): boolean {
  if (!path.startsWith('/')) return false;
  if (path === '/') return true;
  for (const character of path) if (character < LOWEST_CHARACTER) return false;
  const names = (isSequential ? `${path}1` : path).slice(1).split('/');
  return names.every((name) => name !== '' && name !== '.' && name !== '..');
}

/** A watch of the main watcher, or of a callback. */
export type WatchOf = Pick<ReadOptions, 'watch'>;
