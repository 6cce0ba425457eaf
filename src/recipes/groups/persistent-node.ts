import { setTimeout } from 'node:timers/promises';
import { onAbort } from '../../client/base/abort.js';
import type { ZooKeeperClient } from '../../client/base/client.js';
import { isCode } from '../../client/base/errors.js';
import { report } from '../../client/base/report.js';
import { checkBytes, checkFunction, readFields } from '../../protocol/check-argument.js';
import { CreateModes } from '../../protocol/create-mode.js';
import type { ACL } from '../../protocol/data.js';
import { checkRecipe } from '../base/arguments.js';
import { limited, unlessAborted, type WaitOptions } from '../base/limit.js';
import {
  hasEnded,
  isRenewed,
  Losses,
  once,
  retried,
  untilConnected,
  untilRenewed,
  type Wait,
  whileAlive,
} from '../base/session.js';
import {
  absent,
  createParent,
  deleteIfThere,
  WaitWatches,
  watchData,
  type ZnodeOptions,
} from '../base/znodes.js';

/** Options of PersistentNode.open. */
export interface PersistentNodeOptions extends ZnodeOptions, WaitOptions {
  /** Default: none. */
  readonly data?: string | Uint8Array | undefined;
  /**
   * Returns a connected client when the session has expired. It is called again, after a growing
   * pause, if it rejects. The node never closes a client. Default: the node ends with its session.
   */
  readonly renew?: (() => Promise<ZooKeeperClient>) | undefined;
  /** Called with true when the znode is there, and with false when it is not. */
  readonly onChange?: ((isPresent: boolean) => void) | undefined;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

/**
 * An ephemeral znode that is always there: it is created again if someone deletes it, and in a new
 * session after the old one has expired. The Recipes page has no such recipe.
 *
 * Layout: the znode `path` itself, ephemeral, as Curator's PersistentNode makes it; so it also is a
 * member of a Group at its parent that outlives sessions, as with Curator's GroupMember. Missing
 * parents are created as containers.
 *
 * Guarantees: while a server is reachable and nobody else owns the path, the znode exists. If
 * another session owns it, the node waits until that one is gone. The data of others stay until
 * setData().
 * @example
 * const node = await PersistentNode.open(client, '/workers/w1', { data: 'idle' });
 * await node.setData('busy');
 * await node.close();
 */
export class PersistentNode {
  /** The znode. */
  readonly path: string;
  /**
   * Rejects when the node cannot continue: the session has ended without `renew`, the client was
   * closed, or a request was refused.
   */
  readonly ended: Promise<never>;
  private readonly ready: Promise<void>;
  private readonly acl: readonly ACL[] | undefined;
  private readonly renew: (() => Promise<ZooKeeperClient>) | undefined;
  private readonly onChange: ((isPresent: boolean) => void) | undefined;
  private readonly closing = new AbortController();
  private readonly done: Promise<void>;
  private client: ZooKeeperClient;
  private data: Buffer;
  /** Whether the znode does not have the data of setData() yet. */
  private isDirty = false;
  /** Creates that were lost since the last one that succeeded. */
  private losses: Losses | undefined;
  private isThere = false;
  private fail: (error: unknown) => void = () => undefined;
  private beReady: () => void = () => undefined;
  /** Wakes the loop. */
  private wake: () => void = () => undefined;
  private writing: (() => void)[] = [];

  private constructor(client: ZooKeeperClient, path: string, options: PersistentNodeOptions) {
    this.client = client;
    this.path = path;
    this.acl = options.acl;
    this.data = checkBytes('options.data', options.data ?? '');
    this.renew = options.renew;
    this.onChange = options.onChange;
    this.ended = new Promise((_, reject) => {
      this.fail = reject;
    });
    // Prevents an unhandled rejection if the caller does not await it.
    this.ended.catch(() => undefined);
    this.ready = new Promise((resolve) => {
      this.beReady = resolve;
    });
    this.done = this.keep().catch((error: unknown) => {
      this.tell(false);
      this.fail(error);
    });
  }

  /**
   * Creates the znode, and resolves when it is there.
   * @example
   * const connect = async () => connectTo(hosts);
   * const node = await PersistentNode.open(await connect(), '/workers/w1', { renew: connect });
   * @throws RangeError for an invalid path; TimeoutError, RequestAbortedError;
   * ZooKeeperError
   */
  static async open(
    client: ZooKeeperClient,
    path: string,
    options: PersistentNodeOptions = {},
  ): Promise<PersistentNode> {
    const names = ['data', 'renew', 'onChange', 'signal', 'timeoutMs'] as const;
    const { acl } = checkRecipe<PersistentNodeOptions>(client, path, options, ['acl'], names);
    const given = readFields('options', options, names, ['acl']);
    const { data, renew, onChange, signal, timeoutMs } = given;
    if (data !== undefined) checkBytes('options.data', data);
    if (renew !== undefined) checkFunction('options.renew', renew);
    if (onChange !== undefined) checkFunction('options.onChange', onChange);
    return limited({ signal, timeoutMs }, { client, path }, 'not created', async (limit) => {
      const node = new PersistentNode(client, path, { ...given, acl });
      try {
        await unlessAborted(Promise.race([node.ready, node.ended]), limit);
        return node;
      } catch (error) {
        // The loop deletes the znode when it can; the caller need not wait.
        node.close().catch(() => undefined);
        throw error;
      }
    });
  }

  /** Whether the znode was there when it was last checked. */
  get isPresent(): boolean {
    return this.isThere;
  }

  /**
   * Changes the data, also of every later znode. Resolves when the znode has them; rejects like
   * `ended`. A limit ends only the wait: the znode gets the data when possible.
   * @throws TimeoutError, RequestAbortedError
   */
  async setData(data: string | Uint8Array, options: WaitOptions = {}): Promise<void> {
    const bytes = checkBytes('data', data);
    await limited(options, { path: this.path }, 'not changed', async (limit) => {
      this.data = bytes;
      this.isDirty = true;
      const written = new Promise<void>((resolve) => this.writing.push(resolve));
      this.wake();
      await unlessAborted(Promise.race([written, this.ended]), limit);
    });
  }

  /** Deletes the znode, or waits for the end of its session. @throws ZooKeeperError */
  async close(): Promise<void> {
    const { path } = this;
    this.closing.abort(new Error(`${path}: the node is closed`));
    await this.done;
    this.fail(this.closing.signal.reason);
    const { client } = this;
    const wait = { client, path };
    try {
      await retried(wait, (call) => client.sync(path, call));
      const stat = await retried(wait, (call) => client.exists(path, call));
      if (stat?.ephemeralOwner === client.sessionId) await deleteIfThere(wait, path);
    } catch (error) {
      if (!hasEnded(client, error)) throw error;
    }
  }

  /** Same as close(). */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private async keep(): Promise<void> {
    for (;;) {
      const { client, path } = this;
      try {
        await this.keepIn({ client, path, signal: this.closing.signal });
      } catch (error) {
        if (this.closing.signal.aborted) return;
        this.tell(false);
        if (isRenewed({ client }, error)) {
          await untilRenewed({ client, path, signal: this.closing.signal }).catch(() => undefined);
          continue;
        }
        if (client.state !== 'expired' || this.renew === undefined) throw error;
        await this.reconnect(this.renew);
        if (this.closing.signal.aborted) return;
      }
    }
  }

  /** Keeps the znode for as long as the session lives. */
  private async keepIn(wait: Wait): Promise<never> {
    for (;;) {
      let isNews = false;
      let resolveNews = (): void => undefined;
      this.wake = (): void => {
        isNews = true;
        resolveNews();
      };
      const watches = new WaitWatches(wait.client, this.wake);
      try {
        const found = await watchData(wait, this.path, watches);
        if (found === undefined) {
          this.tell(false);
          await this.create(wait);
          continue;
        }
        const isOwn = found.stat.ephemeralOwner === wait.client.sessionId;
        if (isOwn && (await this.write(wait))) {
          this.tell(true);
          this.beReady();
        }
        if (!isOwn) this.tell(false);
        await whileAlive<void>(wait, (resolve) => {
          resolveNews = resolve;
          if (isNews) queueMicrotask(resolve);
          return () => undefined;
        });
      } finally {
        watches.forget();
      }
    }
  }

  /** After a failure, the next read shows whether the znode is there. */
  private async create(wait: Wait): Promise<void> {
    const { client } = wait;
    const options = { mode: CreateModes.EPHEMERAL, acl: this.acl };
    const { data } = this;
    try {
      await once(wait, (call) => client.create(this.path, data, { ...options, ...call }));
      this.losses = undefined;
    } catch (error) {
      if (isCode(error, 'NODEEXISTS')) return;
      this.losses ??= new Losses(wait);
      if (!this.losses.mayRepeat(error)) return createParent(error, wait, this.path, this.acl);
      await untilConnected(wait);
      await retried(wait, (call) => client.sync(this.path, call));
      return;
    }
    if (data === this.data) this.settle();
  }

  /** Writes the data of setData(). @returns false if the znode is gone */
  private async write(wait: Wait): Promise<boolean> {
    while (this.isDirty) {
      const { data } = this;
      const stat = await retried(wait, (call) =>
        wait.client.setData(this.path, data, -1, call),
      ).catch(absent);
      if (stat === undefined) return false;
      if (data === this.data) this.settle();
    }
    return true;
  }

  private settle(): void {
    this.isDirty = false;
    for (const resolve of this.writing.splice(0)) resolve();
  }

  private async reconnect(renew: () => Promise<ZooKeeperClient>): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; !this.closing.signal.aborted; ) {
      const client = await this.unlessClosed(
        Promise.resolve()
          .then(renew)
          .catch(() => undefined),
      );
      if (client !== undefined && client.state !== 'expired') {
        this.client = client;
        return;
      }
      const pause = new AbortController();
      const passed = setTimeout(pauseMs * (1 + Math.random()), undefined, { signal: pause.signal });
      await this.unlessClosed(passed.catch(() => undefined));
      pause.abort();
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
  }

  /** Undefined as soon as the node closes. */
  private unlessClosed<T>(work: Promise<T>): Promise<T | undefined> {
    const { signal } = this.closing;
    return new Promise((resolve, reject) => {
      const unlisten = onAbort(signal, () => resolve(undefined));
      work.then(resolve, reject).finally(unlisten);
    });
  }

  private tell(isPresent: boolean): void {
    if (this.isThere === isPresent) return;
    this.isThere = isPresent;
    report(() => this.onChange?.(isPresent));
  }
}
