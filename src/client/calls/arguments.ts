/**
 * The checks that both clients share. A wrong type is a TypeError or RangeError; a path, TTL, or
 * mode that ZooKeeper does not allow is a ZooKeeperError BADARGUMENTS.
 */
import {
  checkArray,
  checkBoolean,
  checkBytes,
  checkData,
  checkFunction,
  checkOneOf,
  checkText,
  checkWhole,
  type Data,
  rangeError,
  readFields,
  wrongType,
} from '../../protocol/check-argument.js';
import {
  type CreateMode,
  CreateModes,
  createModeOf,
  MAX_TTL_MS,
} from '../../protocol/create-mode.js';
import type { ACL } from '../../protocol/data.js';
import { ErrorCode } from '../../protocol/error-code.js';
import { OpCode } from '../../protocol/op-code.js';
import { OPEN_ACL_UNSAFE } from '../../protocol/perms.js';
import { AddWatchMode, WatcherType } from '../../protocol/watch-event.js';
import { type CheckedOptions, checkClientOptions } from '../base/check-options.js';
import { toServerPath } from '../base/chroot.js';
import type {
  ClientEvents,
  CreateOptions,
  ReadOptions,
  RemoveOptions,
  Watcher,
  WatchOption,
} from '../base/client.js';
import type { ClientOptions } from '../base/client-options.js';
import {
  type ConnectString,
  parseConnectString,
  type ServerAddress,
  secured,
} from '../base/connect-string.js';
import { ZooKeeperError } from '../base/errors.js';
import { secureContextOf } from '../base/tls.js';
import {
  addPersistentWatch,
  addRecursiveWatch,
  type CreateArgs,
  type SetDataArgs,
  type VersionArgs,
} from '../session/operations.js';
import { CALL_NAMES } from './call-limit.js';

const DEFAULT_MAX_FRAME_LENGTH = 4 * 1024 * 1024 - 1;
export const CONFIG_PATH = '/zookeeper/config';

export interface ResolvedOptions {
  readonly servers: readonly ServerAddress[];
  readonly chroot: string;
  readonly sessionTimeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly maxFrameLength: number;
  readonly options: CheckedOptions;
}

export function resolveOptions(given: ClientOptions): ResolvedOptions {
  const options = checkClientOptions(given);
  const { servers, chroot } = resolveTarget(options, options.connectString);
  if (options.tls !== undefined) secureContextOf(options.tls);
  const {
    sessionTimeoutMs = 30_000,
    connectTimeoutMs = 10_000,
    requestTimeoutMs = 120_000,
  } = options;
  return {
    options,
    servers,
    chroot,
    sessionTimeoutMs,
    connectTimeoutMs,
    requestTimeoutMs,
    maxFrameLength: options.maxFrameLength ?? DEFAULT_MAX_FRAME_LENGTH,
  };
}

/**
 * @param chroot of the session; the connect string may name it or omit it
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
  throw rangeError(
    `connect string: the chroot differs: ${target.chroot} (expected ${own}, as in the session)`,
  );
}

function resolveTarget(options: ClientOptions, connectString: string): ConnectString {
  const { servers: named, chroot } = parseConnectString(connectString);
  const servers = options.tls === undefined ? named : named.map(secured);
  return { servers: options.shouldShuffle === false ? servers : shuffled(servers), chroot };
}

/** Shuffles after Fisher and Yates: every order has the same probability. */
function shuffled<T>(values: readonly T[]): readonly T[] {
  const copy = [...values];
  for (let i = copy.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [copy[i], copy[j]] = [copy[j] as T, copy[i] as T];
  }
  return copy;
}

export const CREATE_NAMES = ['mode', 'acl', 'ttl'] as const;

export function resolveCreate(
  chroot: string,
  path: string,
  data: string | Uint8Array | null,
  options?: CreateOptions,
  /** Fields of the options that another check reads. */
  others?: readonly string[],
): { readonly code: number; readonly args: CreateArgs; readonly mode: CreateMode } {
  const fields = options === undefined ? {} : readFields('options', options, CREATE_NAMES, others);
  const mode = fields.mode === undefined ? CreateModes.PERSISTENT : checkMode(fields.mode);
  const acl = fields.acl === undefined ? OPEN_ACL_UNSAFE : checkACL('options.acl', fields.acl);
  const serverPath = toServerPath(chroot, path, mode.isSequential);
  const ttl = checkTTL(path, mode, fields.ttl);
  const args = {
    chroot,
    path: serverPath,
    data: checkData('data', data),
    acl,
    flags: mode.flag,
    ttl,
  };
  if (mode.isTTL) return { code: OpCode.createTTL, args, mode };
  if (mode.isContainer) return { code: OpCode.createContainer, args, mode };
  return { code: OpCode.create2, args, mode };
}

/** Finds the frozen constant by its flag: the fields of the caller's object are not trusted. */
function checkMode(value: CreateMode): CreateMode {
  const name = 'options.mode';
  const { flag } = readFields(name, value, ['flag'], 'any');
  const mode = typeof flag === 'number' ? createModeOf(flag) : undefined;
  if (mode === undefined) throw wrongType(name, value, 'one of CreateModes');
  return mode;
}

function checkTTL(path: string, mode: CreateMode, ttl: number | undefined): number {
  if (ttl !== undefined && typeof ttl !== 'number') {
    throw wrongType('options.ttl', ttl, 'a number of ms');
  }
  if (!mode.isTTL) {
    if (ttl === undefined) return 0;
    throw badArguments(path, `the mode ${mode.name} takes no ttl`);
  }
  if (ttl === undefined || !Number.isInteger(ttl) || ttl < 1 || ttl > Number(MAX_TTL_MS)) {
    throw badArguments(path, `the mode ${mode.name} needs a ttl of 1 to ${MAX_TTL_MS} ms`);
  }
  return ttl;
}

export function checkACL(name: string, acl: unknown): readonly ACL[] {
  // Skip the checks in the common case: the constant is frozen.
  if (acl === OPEN_ACL_UNSAFE) return OPEN_ACL_UNSAFE;
  return checkArray(name, acl, (each, element) => {
    const { perms, id } = readFields(each, element as ACL, ['perms', 'id']);
    const fields = readFields(`${each}.id`, id, ['scheme', 'id']);
    return {
      perms: checkWhole(`${each}.perms`, perms),
      id: {
        scheme: checkText(`${each}.id.scheme`, fields.scheme),
        id: checkText(`${each}.id.id`, fields.id),
      },
    };
  });
}

export function checkVersion(version: unknown): number {
  return checkWhole('version', version);
}

export function resolveDelete(chroot: string, path: string, version: number): VersionArgs {
  return { path: toServerPath(chroot, path), version: checkVersion(version) };
}

export function resolveSet(chroot: string, path: string, data: Data, version: number): SetDataArgs {
  return { ...resolveDelete(chroot, path, version), data: checkData('data', data) };
}

export function resolveSetACL(
  chroot: string,
  path: string,
  acl: readonly ACL[],
  version: number,
): VersionArgs & { readonly acl: readonly ACL[] } {
  return { ...resolveDelete(chroot, path, version), acl: checkACL('acl', acl) };
}

export function resolveAuth(
  scheme: string,
  auth: string | Uint8Array,
): { readonly scheme: string; readonly auth: Buffer } {
  return {
    scheme: checkText('scheme', scheme),
    // Copied, because every later connection sends it again.
    auth: Buffer.from(checkBytes('auth', auth)),
  };
}

export function resolveAddWatch(mode: AddWatchMode): typeof addPersistentWatch {
  checkOneOf('mode', mode, Object.values(AddWatchMode));
  return mode === AddWatchMode.PERSISTENT_RECURSIVE ? addRecursiveWatch : addPersistentWatch;
}

/** The only watcher to remove; undefined removes all. */
export function checkRemoval(
  type: WatcherType,
  isLocal: boolean,
  options: RemoveOptions | undefined,
  defaultWatcher: Watcher,
  toOwn: (watcher: Watcher) => Watcher = (watcher) => watcher,
): Watcher | undefined {
  checkOneOf('type', type, Object.values(WatcherType));
  checkBoolean('isLocal', isLocal);
  if (options === undefined) return undefined;
  const { watcher } = readFields('options', options, ['watcher'], CALL_NAMES);
  if (watcher === undefined) return undefined;
  const given = watcher === true ? defaultWatcher : watcher;
  checkFunction('options.watcher', given);
  return toOwn(given);
}

export function watcherOfOptions(
  options: ReadOptions | undefined,
  defaultWatcher: Watcher,
): Watcher | undefined {
  if (options === undefined) return undefined;
  const { watch = false } = readFields('options', options, ['watch'], CALL_NAMES);
  return watcherOf('options.watch', watch, defaultWatcher);
}

export function watcherOf(
  name: string,
  watch: WatchOption,
  defaultWatcher: Watcher,
): Watcher | undefined {
  if (typeof watch === 'function') return watch;
  if (typeof watch !== 'boolean') throw wrongType(name, watch, 'true, false or a function');
  return watch ? defaultWatcher : undefined;
}

const EVENTS: readonly unknown[] = [
  'state',
  'watch',
  'connected',
  'connected-readonly',
  'disconnected',
  'expired',
  'auth-failed',
  'closed',
  'renewed',
  'error',
] satisfies readonly (keyof ClientEvents)[];

export function checkListener(event: unknown, listener: unknown): void {
  checkOneOf('event', event, EVENTS);
  checkFunction('listener', listener);
}

export function badArguments(path: string | undefined, detail: string): ZooKeeperError {
  return new ZooKeeperError(ErrorCode.BADARGUMENTS, path, { detail });
}
