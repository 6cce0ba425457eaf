import type { ClientOptions, ClientState, Op, ZooKeeperClient } from '../../../client/client.js';
import { chrootStart } from '../../../client/connect-string.js';
import type { TlsOptions } from '../../../client/tls.js';
import { badTarget, checkTarget, namedServers } from '../../connecting/target.js';
import { notConnected } from '../../program/command-error.js';
import { resolvePath } from '../language/resolve-path.js';
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
  /** For the session, for connecting and for each request. */
  readonly timeoutMs?: number;
  /** Refuse every change, and be content with a read-only server. */
  readonly isReadOnly?: boolean;
  /** Sent on every connection made. */
  readonly auth?: readonly Credentials[];
  /** Changes are told, and not sent. */
  readonly isDryRun?: boolean;
  /** The name it is known by, for the prompt. */
  readonly profile?: string;
  /** Ask before each change, and refuse it in a script. */
  readonly isProtected?: boolean;
  /** More for the client, for whichever servers. */
  readonly client?: Partial<ClientOptions>;
  /** How TLS is spoken with targets that begin with zks://. */
  readonly tls?: TlsOptions;
  /** Default: by `clientKind`. */
  readonly createClient?: ClientFactory;
}

/** What a prompt must know at once. */
export type SessionEvent =
  | { readonly kind: 'state'; readonly state: ClientState; readonly reason?: Error }
  | { readonly kind: 'path'; readonly cwd: string }
  /** Another client took over, or (undefined) the session was closed. */
  | { readonly kind: 'client'; readonly client: ZooKeeperClient | undefined };

const LINES_KEPT = 10_000;
const DEFAULT_WORD_TIMEOUT_MS = 2000;

/**
 * What one shell holds between its commands: the connection and the working path. It connects when
 * a command first needs it, so that `help` and a usage error never touch a server.
 */
export class ShellSession {
  readonly isReadOnly: boolean;
  readonly clientKind: ClientKind;
  /** Of the command line; undefined when servers were named. */
  readonly profile: string | undefined;
  readonly isProtected: boolean;
  readonly isDryRun: boolean;
  readonly #options: SessionOptions;
  readonly #listeners = new Set<(event: SessionEvent) => void>();
  /** False after `printwatches off`, and `pager off`. */
  isPrintingWatches = true;
  isPaging = true;
  /** What `begin` gathers until `commit`; undefined outside. */
  transaction: Op[] | undefined;
  /** For `undo`; undefined where nothing is kept. */
  journal: ChangeJournal | undefined;
  tracer: TraceSwitch | undefined;
  /** Where a dry run tells what would be done; the context of each command sets it. */
  tellDryRun: (result: Result) => void = () => undefined;
  readonly aliases = new Map<string, string>();
  readonly #lines: string[] = [];
  #target: string;
  /** The same as it was given: the servers of a name may be others the next time. */
  #asked: string;
  #client: ZooKeeperClient | undefined;
  #connecting: Promise<ZooKeeperClient> | undefined;
  #isClosed = false;
  /** Counts the calls of close, so that an attempt under way knows that it is not wanted. */
  #closeCount = 0;
  #cwd = '/';
  #previousCwd: string | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#target = options.target;
    this.#asked = options.target;
    this.isReadOnly = options.isReadOnly ?? false;
    this.profile = options.profile;
    this.isDryRun = options.isDryRun ?? false;
    this.isProtected = options.isProtected ?? false;
    this.clientKind = options.clientKind ?? 'builtin';
  }

  /** For whatever else is asked of its servers over TLS. */
  get tls(): TlsOptions | undefined {
    return this.#options.tls ?? this.#options.client?.tls;
  }

  /** For the answer to a word, in ms. */
  get wordTimeoutMs(): number {
    return this.#options.timeoutMs ?? DEFAULT_WORD_TIMEOUT_MS;
  }

  /** The connect string of the session, or of the one that would be opened. */
  get target(): string {
    return this.#target;
  }

  /** The client in whatever state it is; undefined before the first connect and after close. */
  get client(): ZooKeeperClient | undefined {
    return this.#client;
  }

  get state(): ClientState {
    return this.#client?.state ?? 'closed';
  }

  /** "" when there is none. */
  get chroot(): string {
    return this.#target.slice(chrootStart(this.#target)).replace(/\/+$/, '');
  }

  get cwd(): string {
    return this.#cwd;
  }

  /** Where `cd -` leads; undefined before the first cd. */
  get previousCwd(): string | undefined {
    return this.#previousCwd;
  }

  changePath(path: string): void {
    this.#previousCwd = this.#cwd;
    this.#cwd = path;
    this.#tell({ kind: 'path', cwd: path });
  }

  /** The lines run so far, oldest first, without those that hold a secret. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  remember(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > LINES_KEPT) this.#lines.shift();
  }

  /** The absolute path of one typed, `.` and `..` resolved. */
  resolve(text: string): string {
    return resolvePath(text, this.#cwd);
  }

  /** @returns a function that ends the subscription */
  subscribe(listener: (event: SessionEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * The connected client, opened now if none ever was.
   * @throws CommandError NOTCONNECTED after `close`; a ConnectError when no server is reached
   */
  async ready(): Promise<ZooKeeperClient> {
    if (this.#connecting !== undefined) return this.#connecting;
    if (this.#client !== undefined) return this.#client;
    if (this.#isClosed) throw notConnected();
    return this.connect();
  }

  /** The client that `ready` gave; @throws CommandError NOTCONNECTED when there is none. */
  requireClient(): ZooKeeperClient {
    if (this.#client === undefined) throw notConnected();
    return this.#client;
  }

  /**
   * Opens a session, on another target if one is given. The old session is closed only when the
   * new one stands, so that a wrong address costs nothing.
   * @throws CommandError USAGE for a bad target; a ConnectError when no server is reached
   */
  connect(target: string = this.#asked): Promise<ZooKeeperClient> {
    const attempt = this.#open(target).finally(() => {
      if (this.#connecting === attempt) this.#connecting = undefined;
    });
    this.#connecting = attempt;
    return attempt;
  }

  /**
   * Gives the session that is open other servers, now and for later ones.
   * @param servers a connect string; a chroot in it must be that of the session
   * @throws CommandError USAGE for a bad one, NOTCONNECTED
   */
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
    this.#asked = `${servers.slice(0, chrootStart(servers))}${this.chroot}`;
    return client;
  }

  /** Closes the session on the server; the shell can connect again. Always resolves. */
  async close(): Promise<void> {
    const client = this.#client;
    this.#isClosed = true;
    this.#closeCount++;
    this.#adopt(undefined);
    await client?.close();
  }

  /**
   * A client of its own, for another cluster; the caller closes it.
   * @param isAuthSent whether the other cluster hears the credentials that this session began with
   * @throws CommandError USAGE for a bad target; a ConnectError when no server is reached
   */
  async openBeside(target: string, isAuthSent = false): Promise<ZooKeeperClient> {
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

  /** @param asked what named the servers: the records of a name say which are to be tried first */
  #makeClient(target: string, asked: string): Promise<ZooKeeperClient> {
    return makeClient(this.#options, target, target !== asked, this);
  }

  async #open(asked: string): Promise<ZooKeeperClient> {
    checkTarget(asked);
    const closeCount = this.#closeCount;
    const target = await namedServers(asked).catch((error: unknown) => {
      this.#tell({ kind: 'client', client: this.#client });
      throw error;
    });
    const client = await this.#makeClient(target, asked);
    client.on('state', (state, reason) => {
      if (client !== this.#client) return;
      this.#tell(
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
    if (asked !== this.#asked) {
      this.#asked = asked;
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
    this.#tell({ kind: 'client', client });
  }

  #tell(event: SessionEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
