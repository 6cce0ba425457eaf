/**
 * What both clients do with a caller's arguments before anything is sent: the path rules, the
 * chroot, the modes. Each refusal is a ZooKeeperError BADARGUMENTS that says what is wrong.
 */
import { type CreateMode, CreateModes, MAX_TTL_MS } from '../protocol/create-mode.js';
import { ErrorCode } from '../protocol/error-code.js';
import { OpCode } from '../protocol/op-code.js';
import { OPEN_ACL_UNSAFE } from '../protocol/perms.js';
import { toServerPath } from './chroot.js';
import type { ClientOptions, CreateOptions, Op } from './client.js';
import {
  type ConnectString,
  parseConnectString,
  type ServerAddress,
  secured,
} from './connect-string.js';
import { ZooKeeperError } from './errors.js';
import type { MultiOp } from './multi.js';
import type { CreateArgs } from './operations.js';
import { secureContextOf } from './tls.js';

export const CONFIG_PATH = '/zookeeper/config';

export interface ResolvedOptions {
  readonly servers: readonly ServerAddress[];
  readonly chroot: string;
  readonly sessionTimeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly requestTimeoutMs: number;
}

/**
 * Fills in the defaults.
 * @throws RangeError for a bad connect string, a time that is none, or TLS options that do not fit
 */
export function resolveOptions(options: ClientOptions): ResolvedOptions {
  const { servers, chroot } = resolveTarget(options, options.connectString);
  if (options.tls !== undefined) secureContextOf(options.tls);
  const { sessionTimeoutMs = 30_000, connectTimeoutMs = 10_000, requestTimeoutMs = 0 } = options;
  for (const [name, value, least] of [
    ['sessionTimeoutMs', sessionTimeoutMs, 1],
    ['connectTimeoutMs', connectTimeoutMs, 1],
    ['requestTimeoutMs', requestTimeoutMs, 0],
  ] as const) {
    if (!Number.isInteger(value) || value < least || value > 0x7fff_ffff) {
      throw new RangeError(`${name} must be a whole number of ms from ${least} up, not ${value}`);
    }
  }
  return {
    servers,
    chroot,
    sessionTimeoutMs,
    connectTimeoutMs,
    requestTimeoutMs,
  };
}

/**
 * The servers of a session's new list, in the order in which they are tried.
 * @param chroot of the session, which the list may name or leave out
 * @throws RangeError for a bad connect string, or for another chroot
 */
export function resolveUpdate(
  options: ClientOptions,
  connectString: string,
  chroot: string,
): readonly ServerAddress[] {
  const target = resolveTarget(options, connectString);
  if (target.chroot === '' || target.chroot === chroot) return target.servers;
  const own = chroot === '' ? 'none' : chroot;
  throw new RangeError(
    `the chroot ${target.chroot} is not that of the session (${own}): open another one for it`,
  );
}

function resolveTarget(options: ClientOptions, connectString: string): ConnectString {
  const { servers: named, chroot } = parseConnectString(connectString);
  const servers = options.tls === undefined ? named : named.map(secured);
  return { servers: options.shouldShuffle === false ? servers : shuffled(servers), chroot };
}

/** Fisher and Yates: every order is equally likely. */
function shuffled<T>(values: readonly T[]): readonly T[] {
  const copy = [...values];
  for (let i = copy.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [copy[i], copy[j]] = [copy[j] as T, copy[i] as T];
  }
  return copy;
}

/** The request of a create and its op code. */
export function resolveCreate(
  chroot: string,
  path: string,
  data: Uint8Array | null,
  options: CreateOptions = {},
): { readonly code: number; readonly args: CreateArgs } {
  const { mode = CreateModes.PERSISTENT, acl = OPEN_ACL_UNSAFE, ttl } = options;
  checkTTL(path, mode, ttl);
  const serverPath = toServerPath(chroot, path, mode.isSequential);
  const args = { chroot, path: serverPath, data, acl, flags: mode.flag, ttl: ttl ?? 0 };
  if (mode.isTTL) return { code: OpCode.createTTL, args };
  if (mode.isContainer) return { code: OpCode.createContainer, args };
  return { code: OpCode.create2, args };
}

function checkTTL(path: string, mode: CreateMode, ttl: number | undefined): void {
  if (!mode.isTTL) {
    if (ttl === undefined) return;
    throw badArguments(path, `the mode ${mode.name} takes no ttl`);
  }
  if (ttl === undefined || !Number.isInteger(ttl) || ttl < 1 || ttl > Number(MAX_TTL_MS)) {
    throw badArguments(path, `the mode ${mode.name} needs a ttl of 1 to ${MAX_TTL_MS} ms`);
  }
}

export function resolveOp(chroot: string, op: Op): MultiOp {
  switch (op.op) {
    case 'create': {
      const { code, args } = resolveCreate(chroot, op.path, op.data ?? null, op.options);
      // Inside a multi Apache's server reads a create2 as a create, and answers it as one.
      return { op: 'create', code: code === OpCode.create2 ? OpCode.create : code, args };
    }
    case 'delete': {
      const args = { path: toServerPath(chroot, op.path), version: op.version ?? -1 };
      return { op: 'delete', code: OpCode.delete, args };
    }
    case 'set': {
      const path = toServerPath(chroot, op.path);
      const args = { path, data: op.data, version: op.version ?? -1 };
      return { op: 'set', code: OpCode.setData, args };
    }
    case 'check': {
      const args = { path: toServerPath(chroot, op.path), version: op.version };
      return { op: 'check', code: OpCode.check, args };
    }
  }
}

export function badArguments(path: string | undefined, detail: string): ZooKeeperError {
  return new ZooKeeperError(ErrorCode.BADARGUMENTS, path, { detail });
}
