import type { ClientState, Op, ZooKeeperClient } from '../../../client/base/client.js';
import type { ClientOptions } from '../../../client/base/client-options.js';
import { chrootStart } from '../../../client/base/connect-string.js';
import type { TlsOptions } from '../../../client/base/tls.js';
import { badTarget, checkTarget, namedServers } from '../../connecting/target.js';
import { notConnected } from '../../program/command-error.js';
import { resolvePath } from '../../znodes/resolve-path.js';
import type { Result } from '../results/result.js';
import type { ChangeJournal } from './change-journal.js';
import { makeClient } from './make-client.js';
import type { TraceSwitch } from './trace-switch.js';

export type ClientKind = 'builtin' | 'native';
export type ClientFactory = (options: ClientOptions) => Promise<ZooKeeperClient>;

export interface Credentials {
  readonly scheme: string;
  readonly auth: string;
}

export interface SessionOptions {
  /** "[zks://]host[:port][,host[:port]…][/chroot]", or "srv://NAME[/chroot]" */
  readonly target: string;
  readonly clientKind?: ClientKind;
  /** For the session, each connection attempt, and each request. */
  readonly timeoutMs?: number;
  /** Rejects all changes, and accepts a read-only server. */
  readonly isReadOnly?: boolean;
  /** For every connection. */
  readonly auth?: readonly Credentials[];
  /** Reports changes instead of sending them. */
  readonly isDryRun?: boolean;
  readonly profile?: string;
  /** Asks for confirmation of each change, and rejects changes in scripts. */
  readonly isProtected?: boolean;
  readonly client?: Partial<ClientOptions>;
  /** For targets that start with zks://. */
  readonly tls?: TlsOptions;
  /** By default from `clientKind`. */
  readonly createClient?: ClientFactory;
}

export type SessionEvent =
  | { readonly kind: 'state'; readonly state: ClientState; readonly reason?: Error }
  | { readonly kind: 'path'; readonly cwd: string }
  /** Undefined after the session was closed. */
  | { readonly kind: 'client'; readonly client: ZooKeeperClient | undefined };

const LINES_KEPT = 10_000;
const DEFAULT_WORD_TIMEOUT_MS = 2000;

/** Connects for the first command that needs it, so `help` never contacts a server. */
export class ShellSession {
  readonly isReadOnly: boolean;
  readonly clientKind: ClientKind;
  /** Undefined if the command line names servers. */
  readonly profile: string | undefined;
  readonly isProtected: boolean;
  readonly isDryRun: boolean;
  readonly #options: SessionOptions;
  readonly #listeners = new Set<(event: SessionEvent) => void>();
  /** False after `printwatches off` and `pager off`. */
  isPrintingWatches = true;
  isPaging = true;
  /** Since `begin`; undefined outside of a transaction. */
  transaction: Op[] | undefined;
  /** Undefined if changes are not recorded for `undo`. */
  journal: ChangeJournal | undefined;
  tracer: TraceSwitch | undefined;
  /** The command context sets it. */
  reportDryRun: (result: Result) => void = () => undefined;
  readonly aliases = new Map<string, string>();
  readonly #lines: string[] = [];
  #target: string;
  /** The target as typed, because SRV records may change. */
  #requestedTarget: string;
  #client: ZooKeeperClient | undefined;
  #connecting: Promise<ZooKeeperClient> | undefined;
  #isClosed = false;
  /** A pending connect compares this number to notice a close. */
  #closeCount = 0;
  #cwd = '/';
  #previousCwd: string | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#target = options.target;
    this.#requestedTarget = options.target;
    this.isReadOnly = options.isReadOnly ?? false;
    this.profile = options.profile;
    this.isDryRun = options.isDryRun ?? false;
    this.isProtected = options.isProtected ?? false;
    this.clientKind = options.clientKind ?? 'builtin';
  }

  get tls(): TlsOptions | undefined {
    return this.#options.tls ?? this.#options.client?.tls;
  }

  get wordTimeoutMs(): number {
    return this.#options.timeoutMs ?? DEFAULT_WORD_TIMEOUT_MS;
  }

  /** The connect string of the current or next session. */
  get target(): string {
    return this.#target;
  }

  /** The client in any state; undefined before the first connect and after close. */
  get client(): ZooKeeperClient | undefined {
    return this.#client;
  }

  get state(): ClientState {
    return this.#client?.state ?? 'closed';
  }

  /** "" without a chroot. */
  get chroot(): string {
    return this.#target.slice(chrootStart(this.#target)).replace(/\/+$/, '');
  }

  get cwd(): string {
    return this.#cwd;
  }

  /** For `cd -`; undefined before the first cd. */
  get previousCwd(): string | undefined {
    return this.#previousCwd;
  }

  changePath(path: string): void {
    this.#previousCwd = this.#cwd;
    this.#cwd = path;
    this.#notify({ kind: 'path', cwd: path });
  }

  /** The lines run so far, oldest first, except lines with secrets. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  remember(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > LINES_KEPT) this.#lines.shift();
  }

  resolve(text: string): string {
    return resolvePath(text, this.#cwd);
  }

  subscribe(listener: (event: SessionEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Connects on the first call. @throws CommandError NOTCONNECTED after `close`; a ConnectError */
  async ready(): Promise<ZooKeeperClient> {
    if (this.#connecting !== undefined) return this.#connecting;
    if (this.#client !== undefined) return this.#client;
    if (this.#isClosed) throw notConnected();
    return this.connect();
  }

  /** @throws CommandError NOTCONNECTED without a client */
  requireClient(): ZooKeeperClient {
    if (this.#client === undefined) throw notConnected();
    return this.#client;
  }

  /** Closes the old session only after the new one is open, so a wrong address does no harm. */
  connect(target: string = this.#requestedTarget): Promise<ZooKeeperClient> {
    const attempt = this.#open(target).finally(() => {
      if (this.#connecting === attempt) this.#connecting = undefined;
    });
    this.#connecting = attempt;
    return attempt;
  }

  /** @param servers for this and later sessions: a connect string with the chroot of the session */
  async updateServers(servers: string): Promise<ZooKeeperClient> {
    checkTarget(servers);
    const client = await this.ready();
    const named = await namedServers(servers);
    try {
      client.updateServers(named);
    } catch (error) {
      if (error instanceof RangeError) throw badTarget(servers, error.message, error);
      throw error;
    }
    this.#target = `${named.slice(0, chrootStart(named))}${this.chroot}`;
    this.#requestedTarget = `${servers.slice(0, chrootStart(servers))}${this.chroot}`;
    return client;
  }

  /** Closes the session on the server. Never rejects. */
  async close(): Promise<void> {
    const client = this.#client;
    this.#isClosed = true;
    this.#closeCount++;
    this.#adopt(undefined);
    await client?.close();
  }

  /** The caller closes the client. `isAuthSent` sends it the first credentials of this session. */
  async openSeparate(target: string, isAuthSent = false): Promise<ZooKeeperClient> {
    checkTarget(target);
    const client = await this.#makeClient(await namedServers(target), target);
    try {
      await client.connect();
      const credentials = isAuthSent ? (this.#options.auth ?? []) : [];
      for (const { scheme, auth } of credentials) await client.addAuth(scheme, auth);
    } catch (error) {
      await client.close();
      throw error;
    }
    return client;
  }

  /** @param requested the target before SRV lookup; SRV records define the order of servers */
  #makeClient(target: string, requested: string): Promise<ZooKeeperClient> {
    return makeClient(this.#options, target, target !== requested, this);
  }

  async #open(requested: string): Promise<ZooKeeperClient> {
    checkTarget(requested);
    const closeCount = this.#closeCount;
    const target = await namedServers(requested).catch((error: unknown) => {
      this.#notify({ kind: 'client', client: this.#client });
      throw error;
    });
    const client = await this.#makeClient(target, requested);
    client.on('state', (state, reason) => {
      if (client !== this.#client) return;
      this.#notify(
        reason === undefined ? { kind: 'state', state } : { kind: 'state', state, reason },
      );
    });
    const old = this.#client;
    const isFirst = old === undefined;
    try {
      if (closeCount !== this.#closeCount) throw notConnected();
      if (isFirst) this.#adopt(client);
      await client.connect();
      if (closeCount !== this.#closeCount) throw notConnected();
      for (const { scheme, auth } of this.#options.auth ?? []) await client.addAuth(scheme, auth);
    } catch (error) {
      if (this.#client === client) this.#adopt(undefined);
      await client.close();
      throw error;
    }
    this.#target = target;
    if (requested !== this.#requestedTarget) {
      this.#requestedTarget = requested;
      this.#cwd = '/';
      this.#previousCwd = undefined;
    }
    this.#isClosed = false;
    if (!isFirst) this.#adopt(client);
    await old?.close();
    return client;
  }

  #adopt(client: ZooKeeperClient | undefined): void {
    if (client === this.#client) return;
    this.#client = client;
    this.#notify({ kind: 'client', client });
  }

  #notify(event: SessionEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
