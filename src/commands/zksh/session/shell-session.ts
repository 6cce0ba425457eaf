import type { ClientState, Op, ZooKeeperClient } from '../../../client/base/client.js';
import type { ClientOptions } from '../../../client/base/client-options.js';
import { chrootStart } from '../../../client/base/connect-string.js';
import type { TlsOptions } from '../../../client/base/tls.js';
import { badTarget, checkTarget, namedServers } from '../../connecting/target.js';
import { notConnected } from '../../program/command-error.js';
import type { Result } from '../../results/result.js';
import { resolvePath } from '../../znodes/resolve-path.js';
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
  private readonly options: SessionOptions;
  private readonly listeners = new Set<(event: SessionEvent) => void>();
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
  private readonly remembered: string[] = [];
  private currentTarget: string;
  /** The target as typed, because SRV records may change. */
  private requestedTarget: string;
  private current: ZooKeeperClient | undefined;
  private connecting: Promise<ZooKeeperClient> | undefined;
  private isClosed = false;
  /** A pending connect compares this number to notice a close. */
  private closeCount = 0;
  private folder = '/';
  private previousFolder: string | undefined;

  constructor(options: SessionOptions) {
    this.options = options;
    this.currentTarget = options.target;
    this.requestedTarget = options.target;
    this.isReadOnly = options.isReadOnly ?? false;
    this.profile = options.profile;
    this.isDryRun = options.isDryRun ?? false;
    this.isProtected = options.isProtected ?? false;
    this.clientKind = options.clientKind ?? 'builtin';
  }

  get tls(): TlsOptions | undefined {
    return this.options.tls ?? this.options.client?.tls;
  }

  get wordTimeoutMs(): number {
    return this.options.timeoutMs ?? DEFAULT_WORD_TIMEOUT_MS;
  }

  /** The connect string of the current or next session. */
  get target(): string {
    return this.currentTarget;
  }

  /** The client in any state; undefined before the first connect and after close. */
  get client(): ZooKeeperClient | undefined {
    return this.current;
  }

  get state(): ClientState {
    return this.current?.state ?? 'closed';
  }

  /** "" without a chroot. */
  get chroot(): string {
    return this.currentTarget.slice(chrootStart(this.currentTarget)).replace(/(?<!\/)\/+$/, '');
  }

  get cwd(): string {
    return this.folder;
  }

  /** For `cd -`; undefined before the first cd. */
  get previousCwd(): string | undefined {
    return this.previousFolder;
  }

  changePath(path: string): void {
    this.previousFolder = this.folder;
    this.folder = path;
    this.notify({ kind: 'path', cwd: path });
  }

  /** The lines run so far, oldest first, except lines with secrets. */
  get lines(): readonly string[] {
    return this.remembered;
  }

  remember(line: string): void {
    this.remembered.push(line);
    if (this.remembered.length > LINES_KEPT) this.remembered.shift();
  }

  resolve(text: string): string {
    return resolvePath(text, this.folder);
  }

  subscribe(listener: (event: SessionEvent) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Connects on the first call. @throws CommandError NOTCONNECTED after `close`; a ConnectError */
  async ready(): Promise<ZooKeeperClient> {
    if (this.connecting !== undefined) return this.connecting;
    if (this.current !== undefined) return this.current;
    if (this.isClosed) throw notConnected();
    return this.connect();
  }

  /** @throws CommandError NOTCONNECTED without a client */
  requireClient(): ZooKeeperClient {
    if (this.current === undefined) throw notConnected();
    return this.current;
  }

  /** Closes the old session only after the new one is open, so a wrong address does no harm. */
  connect(target: string = this.requestedTarget): Promise<ZooKeeperClient> {
    const attempt = this.open(target).finally(() => {
      if (this.connecting === attempt) this.connecting = undefined;
    });
    this.connecting = attempt;
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
    this.currentTarget = `${named.slice(0, chrootStart(named))}${this.chroot}`;
    this.requestedTarget = `${servers.slice(0, chrootStart(servers))}${this.chroot}`;
    return client;
  }

  /** Closes the session on the server. Never rejects. */
  async close(): Promise<void> {
    const client = this.current;
    this.isClosed = true;
    this.closeCount++;
    this.adopt(undefined);
    await client?.close();
  }

  /** The caller closes the client. `isAuthSent` sends it the first credentials of this session. */
  async openSeparate(target: string, isAuthSent = false): Promise<ZooKeeperClient> {
    checkTarget(target);
    const client = await this.makeClient(await namedServers(target), target);
    try {
      await client.connect();
      const credentials = isAuthSent ? (this.options.auth ?? []) : [];
      for (const { scheme, auth } of credentials) await client.addAuth(scheme, auth);
    } catch (error) {
      await client.close();
      throw error;
    }
    return client;
  }

  /** @param requested the target before SRV lookup; SRV records define the order of servers */
  private makeClient(target: string, requested: string): Promise<ZooKeeperClient> {
    return makeClient(this.options, target, target !== requested, this);
  }

  private async open(requested: string): Promise<ZooKeeperClient> {
    checkTarget(requested);
    const closeCount = this.closeCount;
    const target = await namedServers(requested).catch((error: unknown) => {
      this.notify({ kind: 'client', client: this.current });
      throw error;
    });
    const client = await this.makeClient(target, requested);
    client.on('state', (state, reason) => {
      if (client !== this.current) return;
      this.notify(
        reason === undefined ? { kind: 'state', state } : { kind: 'state', state, reason },
      );
    });
    const old = this.current;
    const isFirst = old === undefined;
    try {
      if (closeCount !== this.closeCount) throw notConnected();
      if (isFirst) this.adopt(client);
      await client.connect();
      if (closeCount !== this.closeCount) throw notConnected();
      for (const { scheme, auth } of this.options.auth ?? []) await client.addAuth(scheme, auth);
    } catch (error) {
      if (this.current === client) this.adopt(undefined);
      await client.close();
      throw error;
    }
    this.currentTarget = target;
    if (requested !== this.requestedTarget) {
      this.requestedTarget = requested;
      this.folder = '/';
      this.previousFolder = undefined;
    }
    this.isClosed = false;
    if (!isFirst) this.adopt(client);
    await old?.close();
    return client;
  }

  private adopt(client: ZooKeeperClient | undefined): void {
    if (client === this.current) return;
    this.current = client;
    this.notify({ kind: 'client', client });
  }

  private notify(event: SessionEvent): void {
    for (const listener of this.listeners) listener(event);
  }
}
