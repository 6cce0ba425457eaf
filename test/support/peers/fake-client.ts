import { EventEmitter } from 'node:events';
import type {
  ClientEvents,
  ClientState,
  CreateOptions,
  ReadOptions,
  WatchEvent,
  Watcher,
  WatchOptions,
  ZooKeeperClient,
} from '../../../src/client/base/client.js';
import { TimeoutError } from '../../../src/client/base/errors.js';
import { watchChanges } from '../../../src/client/calls/watch-changes.js';
import { CreateModes } from '../../../src/protocol/create-mode.js';
import { type ACL, NO_STAT, Stat } from '../../../src/protocol/data.js';
import type { ErrorName } from '../../../src/protocol/error-code.js';
import { isWithin, parentPath, sequenceSuffix } from '../../../src/protocol/path.js';
import { OPEN_ACL_UNSAFE, Perms } from '../../../src/protocol/perms.js';
import { AddWatchMode } from '../../../src/protocol/watch-event.js';
import { checkVersion, fault } from './fake-faults.js';

interface Znode {
  data: Buffer | null;
  acl: readonly ACL[];
  stat: Stat;
}

/** 07:30 on 21 November 2026, UTC. */
export const FAKE_TIME = 1_795_246_200_000;

/**
 * A ZooKeeperClient over a tree in memory, for tests of code above the client. It checks
 * permissions only for world:anyone. It does not model a server: the conformance tests use real
 * ones.
 */
export class FakeClient implements ZooKeeperClient {
  state: ClientState = 'connecting';
  readonly sessionId = 0x1_0000_beef_0000n;
  readonly sessionTimeoutMs = 30_000;
  readonly chroot = '';
  silentMs = 0;
  /** The mtime of znodes that are created. */
  changedAt = FAKE_TIME;
  lastZxid = 0n;
  server: string | undefined;
  /** The names of the requested operations, in order. */
  readonly calls: string[] = [];
  readonly auth: [scheme: string, auth: string][] = [];
  /** Makes an operation on a path fail: `get /a` has the key "getData /a". */
  readonly renewsSession = false;
  readonly failures = new Map<string, ErrorName | 'ETIMEDOUT'>();
  /** The error of connect(). */
  connectError: Error | undefined;
  config: Buffer | null = null;
  private readonly nodes = new Map<string, Znode>();
  private readonly emitter = new EventEmitter();
  private readonly oneShot = new Map<string, Set<Watcher>>();
  private readonly persistent: { path: string; isRecursive: boolean; watcher: Watcher }[] = [];
  private zxid = 0n;

  constructor() {
    const root = { data: Buffer.alloc(0), acl: OPEN_ACL_UNSAFE, stat: new Stat(NO_STAT) };
    this.nodes.set('/', root);
    this.nodes.set('/zookeeper', { ...root, stat: new Stat(NO_STAT) });
    root.stat = new Stat({ ...NO_STAT, numChildren: 1 });
  }

  async connect(): Promise<void> {
    if (this.connectError !== undefined) throw this.connectError;
    this.server = 'fake:2181';
    this.setState('connected');
  }

  async close(): Promise<void> {
    this.calls.push('close');
    this.server = undefined;
    this.setState('closed');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  watch(path: string, options?: WatchOptions) {
    return watchChanges(this, path, options);
  }

  setState(state: ClientState, reason?: Error): void {
    if (state === this.state) return;
    this.state = state;
    this.emitter.emit('state', state, reason);
    this.emitter.emit(state, reason);
  }

  async create(path: string, data: Buffer | null = null, options: CreateOptions = {}) {
    const mode = options.mode ?? CreateModes.PERSISTENT;
    this.begin('create', path);
    const parent = this.node(parentPath(path), path);
    this.allow(parent, Perms.CREATE, path);
    const made = mode.isSequential ? `${path}${sequenceSuffix(parent.stat.cversion)}` : path;
    if (this.nodes.has(made)) throw fault('NODEEXISTS', made);
    const zxid = ++this.zxid;
    const ephemeralOwner = mode.isEphemeral ? this.sessionId : 0n;
    const stat = new Stat({
      ...NO_STAT,
      czxid: zxid,
      mzxid: zxid,
      pzxid: zxid,
      ctime: FAKE_TIME,
      mtime: this.changedAt,
      ephemeralOwner,
      dataLength: data?.length ?? 0,
    });
    this.nodes.set(made, { data, acl: options.acl ?? OPEN_ACL_UNSAFE, stat });
    this.countChildren(parent, 1, zxid);
    this.fire('NodeCreated', made);
    this.fire('NodeChildrenChanged', parentPath(made));
    return { path: made, stat };
  }

  async delete(path: string, version = -1): Promise<void> {
    this.begin('delete', path);
    const node = this.node(path);
    const parent = this.node(parentPath(path));
    this.allow(parent, Perms.DELETE, path);
    checkVersion(version, node.stat.version, path);
    if (node.stat.numChildren > 0) throw fault('NOTEMPTY', path);
    this.nodes.delete(path);
    this.countChildren(parent, -1, ++this.zxid);
    this.fire('NodeDeleted', path);
    this.fire('NodeChildrenChanged', parentPath(path));
  }

  async exists(path: string, options?: ReadOptions): Promise<Stat | null> {
    this.begin('exists', path);
    this.arm(path, options);
    return this.nodes.get(path)?.stat ?? null;
  }

  async getData(path: string, options?: ReadOptions) {
    this.begin('getData', path);
    const node = this.node(path);
    this.allow(node, Perms.READ, path);
    this.arm(path, options);
    return { data: node.data, stat: node.stat };
  }

  async setData(path: string, data: Buffer | null, version = -1): Promise<Stat> {
    this.begin('setData', path);
    const node = this.node(path);
    this.allow(node, Perms.WRITE, path);
    checkVersion(version, node.stat.version, path);
    node.data = data;
    node.stat = new Stat({
      ...node.stat,
      mzxid: ++this.zxid,
      version: node.stat.version + 1,
      dataLength: data?.length ?? 0,
    });
    this.fire('NodeDataChanged', path);
    return node.stat;
  }

  async getACL(path: string) {
    this.begin('getACL', path);
    const node = this.node(path);
    return { acl: node.acl, stat: node.stat };
  }

  async setACL(path: string, acl: readonly ACL[], version = -1): Promise<Stat> {
    this.begin('setACL', path);
    const node = this.node(path);
    this.allow(node, Perms.ADMIN, path);
    checkVersion(version, node.stat.aversion, path);
    node.acl = acl;
    node.stat = new Stat({ ...node.stat, aversion: node.stat.aversion + 1 });
    return node.stat;
  }

  async getChildren(path: string, options?: ReadOptions) {
    this.begin('getChildren', path);
    const node = this.node(path);
    this.allow(node, Perms.READ, path);
    this.arm(path, options);
    // In reverse, so that a caller that shows them must sort.
    return { children: this.childNames(path).sort().reverse(), stat: node.stat };
  }

  async getAllChildrenNumber(path: string): Promise<number> {
    this.begin('getAllChildrenNumber', path);
    this.node(path);
    return [...this.nodes.keys()].filter((other) => other !== path && isWithin(other, path)).length;
  }

  async getEphemerals(prefix = '/'): Promise<readonly string[]> {
    this.begin('getEphemerals', prefix);
    return [...this.nodes]
      .filter(([path, { stat }]) => stat.ephemeralOwner !== 0n && path.startsWith(prefix))
      .map(([path]) => path);
  }

  async sync(path: string): Promise<void> {
    this.begin('sync', path);
  }

  updateServers(connectString: string): void {
    this.begin('updateServers', connectString);
  }

  within(): never {
    throw new Error('the fake client has no views');
  }

  async multi(): Promise<never> {
    this.begin('multi', '');
    throw new Error('the fake client has no multi');
  }

  async multiRead(): Promise<never> {
    this.begin('multiRead', '');
    throw new Error('the fake client has no multiRead');
  }

  async addAuth(scheme: string, auth: Buffer | string): Promise<void> {
    this.begin('addAuth', '');
    this.auth.push([scheme, auth.toString()]);
  }

  async whoAmI() {
    this.begin('whoAmI', '');
    return [{ authScheme: 'ip', user: '127.0.0.1' }];
  }

  async addWatch(path: string, mode: AddWatchMode, watcher: Watcher | boolean): Promise<void> {
    this.begin('addWatch', path);
    if (typeof watcher === 'boolean') throw new Error('the fake client requires a watcher');
    const isRecursive = mode === AddWatchMode.PERSISTENT_RECURSIVE;
    this.persistent.push({ path, isRecursive, watcher });
  }

  async removeWatches(path: string): Promise<void> {
    this.begin('removeWatches', path);
    const at = this.persistent.findIndex((watch) => watch.path === path);
    if (at === -1 && !this.oneShot.delete(path)) throw fault('NOWATCHER', path);
    const [removed] = at === -1 ? [] : this.persistent.splice(at, 1);
    removed?.watcher({ type: 'PersistentWatchRemoved', path, zxid: -1n });
  }

  async getConfig(options?: ReadOptions) {
    this.begin('getConfig', '/zookeeper/config');
    this.arm('/zookeeper/config', options);
    return { data: this.config, stat: new Stat(NO_STAT) };
  }

  async reconfig(): Promise<never> {
    this.begin('reconfig', '');
    throw fault('RECONFIGDISABLED', '/zookeeper/config');
  }

  on<E extends keyof ClientEvents>(event: E, listener: (...args: ClientEvents[E]) => void): this {
    this.emitter.on(event, listener);
    return this;
  }

  once<E extends keyof ClientEvents>(event: E, listener: (...args: ClientEvents[E]) => void): this {
    this.emitter.once(event, listener);
    return this;
  }

  off<E extends keyof ClientEvents>(event: E, listener: (...args: ClientEvents[E]) => void): this {
    this.emitter.off(event, listener);
    return this;
  }

  private begin(operation: string, path: string): void {
    this.calls.push(operation);
    const failure = this.failures.get(`${operation} ${path}`.trim());
    if (failure === 'ETIMEDOUT') throw new TimeoutError(path, { hasUnknownOutcome: true });
    if (failure !== undefined) throw fault(failure, path);
  }

  private node(path: string, named = path): Znode {
    const node = this.nodes.get(path === '' ? '/' : path);
    if (node === undefined) throw fault('NONODE', named);
    return node;
  }

  private allow(node: Znode, perm: number, path: string): void {
    const isAllowed = node.acl.some(
      ({ id, perms }) => id.scheme === 'world' && (perms & perm) !== 0,
    );
    if (!isAllowed) throw fault('NOAUTH', path);
  }

  private childNames(path: string): string[] {
    return [...this.nodes.keys()]
      .filter((other) => other !== '/' && (parentPath(other) || '/') === path)
      .map((other) => other.slice(other.lastIndexOf('/') + 1));
  }

  private countChildren(parent: Znode, change: number, zxid: bigint): void {
    const { cversion, numChildren } = parent.stat;
    parent.stat = new Stat({
      ...parent.stat,
      pzxid: zxid,
      cversion: cversion + 1,
      numChildren: numChildren + change,
    });
  }

  private arm(path: string, options?: ReadOptions): void {
    if (typeof options?.watch !== 'function') return;
    const watchers = this.oneShot.get(path) ?? new Set();
    this.oneShot.set(path, watchers.add(options.watch));
  }

  private fire(type: WatchEvent['type'], path: string): void {
    const event = { type, path, zxid: this.zxid };
    const armed = this.oneShot.get(path);
    this.oneShot.delete(path);
    for (const watcher of armed ?? []) watcher(event);
    for (const watch of this.persistent) {
      const isSeen = watch.isRecursive
        ? isWithin(path, watch.path) && type !== 'NodeChildrenChanged'
        : path === watch.path;
      if (isSeen) watch.watcher(event);
    }
  }
}
