import { checkBytes, checkData, checkText, type Data } from '../../protocol/check-argument.js';
import type { ACL, Stat } from '../../protocol/data.js';
import { ErrorCode } from '../../protocol/error-code.js';
import { OPEN_ACL_UNSAFE } from '../../protocol/perms.js';
import type { WatcherType } from '../../protocol/watch-event.js';
import { toClientPath, toServerPath } from '../base/chroot.js';
import type {
  CallOptions,
  ClientState,
  CreateOptions,
  CreateResult,
  ReadOptions,
  RemoveOptions,
  SessionClient,
  Watcher,
} from '../base/client.js';
import type { ClientOptions } from '../base/client-options.js';
import type { ConfigChange } from '../base/config-change.js';
import { formatServerAddress } from '../base/connect-string.js';
import {
  badArguments,
  CONFIG_PATH,
  checkACL,
  checkRemoval,
  checkVersion,
  type ResolvedOptions,
  resolveCreate,
  resolveOptions,
  watcherOfOptions,
} from '../calls/arguments.js';
import { CALL_NAMES } from '../calls/call-limit.js';
import { ConnectAttempt } from '../calls/connect-attempt.js';
import { resolveReconfig } from '../calls/resolve-reconfig.js';
import type { WatchKind } from '../session/client-watches.js';
import { NO_PASSWORD } from '../session/hello.js';
import { toStat } from './native-binding.js';
import {
  failedAttempts,
  NativeLacks,
  refuseOptions,
  unsupported,
  writable,
} from './native-lacks.js';
import { NativeSession } from './native-session.js';

type DataAndStat = { data: Buffer | null; stat: Stat };

const LONGEST_TTL_MS = 0x7fff_ffff;

/**
 * Makes a client over Apache's C client; connect() loads the npm package `zookeeper`.
 * @example const client = createNativeClient({ connectString: '127.0.0.1:2181' });
 */
export function createNativeClient(options: ClientOptions): SessionClient {
  return new NativeClient(options);
}

/**
 * Operations that the npm package `zookeeper` lacks reject with an UnsupportedError that names the
 * built-in client. Other differences:
 * - `create` reads the Stat with a second request, so it may be slightly newer.
 * - `server` is known only if the list has one server.
 * - `close` blocks the process until the server has closed the session, at most 1.5 s.
 */
class NativeClient extends NativeLacks implements SessionClient {
  private readonly resolved: ResolvedOptions;
  private readonly session: NativeSession;
  protected readonly attempt: ConnectAttempt;

  constructor(given: ClientOptions) {
    super();
    this.resolved = resolveOptions(given);
    refuseOptions(this.resolved);
    const changed = (state: ClientState, reason?: Error) => this.changedState(state, reason);
    this.session = new NativeSession(this.resolved.options, this.resolved, changed, () =>
      this.attempt.beginUnasked(),
    );
    this.attempt = new ConnectAttempt({
      timeoutMs: this.resolved.connectTimeoutMs,
      start: () => this.open(),
      failedAttempts: () => failedAttempts(this.resolved.servers),
      giveUp: () => this.session.close(),
    });
  }

  get state(): ClientState {
    return this.session.state;
  }
  get chroot(): string {
    return this.resolved.chroot;
  }
  get sessionId(): bigint {
    return this.session.sessionId;
  }
  get sessionPassword(): Buffer {
    const password = this.session.handle?.client_password;
    return password === undefined ? NO_PASSWORD : Buffer.from(password, 'hex');
  }
  get sessionTimeoutMs(): number {
    const timeoutMs = this.session.handle?.timeout ?? -1;
    return timeoutMs > 0 ? timeoutMs : this.resolved.sessionTimeoutMs;
  }
  get server(): string | undefined {
    const [only, second] = this.resolved.servers;
    if (!this.session.isConnected || only === undefined || second !== undefined) return undefined;
    return formatServerAddress(only);
  }

  async create(
    path: string,
    data: Data = '',
    options?: CreateOptions & CallOptions,
  ): Promise<CreateResult> {
    const { args, mode } = resolveCreate(this.chroot, path, data, options, CALL_NAMES);
    if (args.acl !== OPEN_ACL_UNSAFE) throw unsupported('create a znode with an ACL');
    const value = writable(checkData('data', data));
    if (args.ttl > LONGEST_TTL_MS) {
      throw badArguments(
        path,
        `native client: the ttl is too long (expected at most ${LONGEST_TTL_MS} ms)`,
      );
    }
    const created = await this.session.request<string>(
      path,
      (handle, reply) => {
        const done = (rc: number, _message: string, name: string) => reply(rc, () => name);
        return mode.isTTL
          ? handle.a_createTtl(args.path, value, mode.flag, args.ttl, done)
          : handle.a_create(args.path, value, mode.flag, done);
      },
      options,
    );
    const stat = await this.session.request<Stat>(
      path,
      (handle, reply) =>
        handle.a_exists(created, false, (rc, _message, found) => reply(rc, () => toStat(found))),
      options,
    );
    return { path: toClientPath(this.chroot, created), stat };
  }

  async delete(path: string, version = -1, call?: CallOptions): Promise<void> {
    const serverPath = this.serverPath(path);
    checkVersion(version);
    return this.session.request<void>(
      path,
      (handle, reply) => handle.a_delete_(serverPath, version, (rc) => reply(rc, () => undefined)),
      call,
    );
  }

  async exists(path: string, options?: ReadOptions): Promise<Stat | null> {
    const serverPath = this.serverPath(path);
    const watcher = watcherOfOptions(options, this.defaultWatcher);
    return this.session.request<Stat | null>(
      path,
      (handle, reply) =>
        handle.a_exists(serverPath, watcher !== undefined, (rc, _message, stat) => {
          const isAbsent = rc === ErrorCode.NONODE;
          reply(isAbsent ? 0 : rc, () => {
            this.arm(isAbsent ? 'exists' : 'data', serverPath, watcher);
            return isAbsent ? null : toStat(stat);
          });
        }),
      options,
    );
  }

  async getData(path: string, options?: ReadOptions): Promise<DataAndStat> {
    return this.readData(this.serverPath(path), path, options);
  }

  async setData(path: string, data: Data, version = -1, call?: CallOptions): Promise<Stat> {
    const serverPath = this.serverPath(path);
    const value = writable(checkData('data', data));
    checkVersion(version);
    return this.session.request<Stat>(
      path,
      (handle, reply) =>
        handle.a_set(serverPath, value, version, (rc, _message, stat) =>
          reply(rc, () => toStat(stat)),
        ),
      call,
    );
  }

  /** The C client does not return the Stat: a second request reads it. */
  async setACL(path: string, acl: readonly ACL[], version = -1, call?: CallOptions): Promise<Stat> {
    const serverPath = this.serverPath(path);
    checkVersion(version);
    const list = checkACL('acl', acl).map(({ perms, id }) => ({
      perms,
      scheme: id.scheme,
      auth: id.id,
    }));
    await this.session.request<void>(
      path,
      (handle, reply) =>
        handle.a_set_acl(serverPath, version, list, (rc) => reply(rc, () => undefined)),
      call,
    );
    return this.session.request<Stat>(
      path,
      (handle, reply) =>
        handle.a_exists(serverPath, false, (rc, _message, stat) => reply(rc, () => toStat(stat))),
      call,
    );
  }

  async getChildren(
    path: string,
    options?: ReadOptions,
  ): Promise<{ children: readonly string[]; stat: Stat }> {
    const serverPath = this.serverPath(path);
    const watcher = watcherOfOptions(options, this.defaultWatcher);
    return this.session.request<{ children: readonly string[]; stat: Stat }>(
      path,
      (handle, reply) =>
        handle.a_get_children2(serverPath, watcher !== undefined, (rc, _message, children, stat) =>
          reply(rc, () => {
            this.arm('child', serverPath, watcher);
            return { children, stat: toStat(stat) };
          }),
        ),
      options,
    );
  }

  async sync(path: string, call?: CallOptions): Promise<void> {
    const serverPath = this.serverPath(path);
    return this.session.request<void>(
      path,
      (handle, reply) => handle.a_sync(serverPath, (rc) => reply(rc, () => undefined)),
      call,
    );
  }

  async addAuth(scheme: string, auth: string | Uint8Array, call?: CallOptions): Promise<void> {
    checkText('scheme', scheme);
    const bytes = checkBytes('auth', auth);
    const text = bytes.toString();
    if (!Buffer.from(text).equals(bytes)) {
      throw unsupported('send credentials that are not UTF-8');
    }
    return this.session.request<void>(
      undefined,
      (handle, reply) => handle.add_auth(scheme, text, (rc) => reply(rc, () => undefined)),
      call,
    );
  }

  async getConfig(options?: ReadOptions): Promise<DataAndStat> {
    return this.readData(CONFIG_PATH, CONFIG_PATH, options);
  }

  async reconfig(change: ConfigChange, call?: CallOptions): Promise<DataAndStat> {
    const { joining, leaving, members, fromConfig } = resolveReconfig(change);
    return this.session.request<DataAndStat>(
      CONFIG_PATH,
      (handle, reply) =>
        handle.a_reconfig(
          joining,
          leaving,
          members,
          Number(fromConfig),
          (rc, _message, stat, data) => reply(rc, () => ({ data, stat: toStat(stat) })),
        ),
      call,
    );
  }

  async removeWatches(
    path: string,
    type: WatcherType,
    isLocal = false,
    call?: RemoveOptions,
  ): Promise<void> {
    const only = checkRemoval(type, isLocal, call, this.defaultWatcher);
    if (!isLocal || only === undefined) throw unsupported('remove watches of a server');
    this.session.forget(this.serverPath(path), type, only);
  }

  unref(): this {
    throw unsupported('let the process end');
  }

  ref(): this {
    return this;
  }

  close(): Promise<void> {
    this.session.close();
    return this.closed;
  }

  private open(): void {
    this.session.open().catch((error: Error) => {
      this.attempt.fail(error);
      this.session.close();
    });
  }

  private serverPath(path: string): string {
    return toServerPath(this.chroot, path);
  }

  private readData(serverPath: string, path: string, options?: ReadOptions): Promise<DataAndStat> {
    const watcher = watcherOfOptions(options, this.defaultWatcher);
    return this.session.request<DataAndStat>(
      path,
      (handle, reply) =>
        handle.a_get(serverPath, watcher !== undefined, (rc, _message, stat, data) =>
          reply(rc, () => {
            this.arm('data', serverPath, watcher);
            return { data, stat: toStat(stat) };
          }),
        ),
      options,
    );
  }

  private arm(kind: WatchKind, path: string, watcher: Watcher | undefined): void {
    if (watcher !== undefined) this.session.arm(kind, path, watcher);
  }
}
