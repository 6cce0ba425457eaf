import { isKerberos } from '../../protocol/sasl-login.js';
import type { ClientState, WatchEvent, Watcher } from '../base/client.js';
import { formatServerAddress, type ServerAddress } from '../base/connect-string.js';
import { Connection, type ConnectionEvents } from '../base/connection.js';
import type { TlsOptions } from '../base/tls.js';
import type { WireTap } from '../base/wire-trace.js';
import { KerberosTickets } from './kerberos-tickets.js';
import type { Request } from './request.js';
import { ServerList } from './server-list.js';
import { Session } from './session.js';
import type { SessionEffects, SessionOptions } from './session-contract.js';
import { WritableSearch } from './writable-search.js';

export interface SessionListener {
  changedState(state: ClientState, reason: Error | undefined): void;
  delivered?(event: WatchEvent): void;
  renewed(previousSessionId: bigint): void;
  /** A connection begins; "host:port". */
  dialed(server: string): void;
}

const LONGEST_TIMER_MS = 0x7fff_ffff;
/** Requests that one write holds, so that the server works while the turn makes more. */
const FULL_WRITE = 128;

/**
 * Connects a session to its socket, clock and timer. All bytes of one turn of the event loop leave
 * in one write. Listeners run in microtasks: callers see replies, events and states in order, and
 * never inside their own call.
 */
export class SessionDriver implements SessionEffects {
  readonly session: Session;
  private readonly listener: SessionListener;
  private readonly tls: TlsOptions | undefined;
  private readonly tap: WireTap | undefined;
  private readonly search: WritableSearch;
  private readonly kerberos: KerberosTickets | undefined;
  private connection: Connection | undefined;
  private isWriteDue = false;
  /** Requests since the last write. */
  private unsent = 0;
  private isClosing = false;
  private isRef = true;
  private timer: NodeJS.Timeout | undefined;
  private timerAtMs = Number.POSITIVE_INFINITY;

  constructor(options: SessionOptions, listener: SessionListener, tls?: TlsOptions, tap?: WireTap) {
    this.listener = listener;
    this.tls = tls;
    this.tap = tap;
    const { sasl } = options;
    if (sasl !== undefined && isKerberos(sasl)) this.kerberos = new KerberosTickets(sasl);
    this.session = new Session(options, this);
    this.search = new WritableSearch(tls, (server) => {
      this.session.changeServers(ServerList.toWritable(server), this.now());
      this.armTimer();
    });
  }

  /** A monotonic clock; `performance` would take time to load. */
  now(): number {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1e3 + nanoseconds / 1e6;
  }

  start(): void {
    this.session.start(this.now());
    this.armTimer();
  }

  get silentMs(): number {
    return this.session.liveness.silentMs(this.now());
  }

  submit(request: Request, hasTimeout: boolean): void {
    this.session.submit(request, hasTimeout ? this.now() : 0);
    if (hasTimeout) this.armTimer();
    this.unsent++;
    if (this.unsent >= FULL_WRITE) this.flush();
  }

  /** Whether the connection and the timer keep the process alive. */
  setRef(isRef: boolean): void {
    this.isRef = isRef;
    this.connection?.setRef(isRef);
    if (isRef) this.timer?.ref();
    else this.timer?.unref();
  }

  updateServers(servers: readonly ServerAddress[]): void {
    this.session.changeServers(ServerList.toServers(servers), this.now());
    this.armTimer();
  }

  /** @param reason for requests that wait, if nobody asked for the end */
  close(reason?: Error): void {
    this.isClosing = true;
    this.session.close(this.now(), reason);
    this.armTimer();
  }

  connect(server: ServerAddress): void {
    if (this.kerberos === undefined) {
      this.open(server);
      return;
    }
    this.kerberos.begin(server, this.session.identity.id !== 0n, (login) => {
      if (login instanceof Error) this.session.handleClosed(login, this.now());
      else if ('refused' in login) this.session.handleLogin(login.refused, this.now());
      else {
        this.session.handleLogin(login, this.now());
        this.open(server);
      }
      this.armTimer();
    });
  }

  private open(server: ServerAddress): void {
    const events: ConnectionEvents = {
      connected: () => {
        this.session.handleConnected(this.now());
        this.armTimer();
      },
      received: (chunk) => {
        this.tap?.received(chunk, this.now());
        this.session.handleBytes(chunk, this.now());
        this.armTimer();
      },
      closed: (fault) => {
        this.connection = undefined;
        this.tap?.closed(fault);
        this.session.handleClosed(fault, this.now());
        this.armTimer();
      },
    };
    this.listener.dialed(formatServerAddress(server));
    this.tap?.dialed(formatServerAddress(server));
    this.connection = new Connection(server, events, this.tls);
    this.connection.setRef(this.isRef);
  }

  disconnect(): void {
    this.kerberos?.forget();
    this.connection?.destroy();
    this.connection = undefined;
  }

  wantWrite(): void {
    if (this.isWriteDue) return;
    this.isWriteDue = true;
    setImmediate(this.flush);
  }

  changeState(state: ClientState, reason: Error | undefined): void {
    if (state === 'connected-readonly') this.search.start(() => this.session.list.others);
    else this.search.stop();
    queueMicrotask(() => this.listener.changedState(state, reason));
  }

  renewed(previousSessionId: bigint): void {
    queueMicrotask(() => this.listener.renewed(previousSessionId));
  }

  /** After close(), the server reports the close itself as an event: drop it. */
  deliver(event: WatchEvent, watchers: ReadonlySet<Watcher>): void {
    if (this.isClosing) return;
    queueMicrotask(() => this.listener.delivered?.(event));
    for (const watcher of watchers) queueMicrotask(() => watcher(event));
  }

  private readonly flush = (): void => {
    this.isWriteDue = false;
    this.unsent = 0;
    if (this.connection === undefined) return;
    const bytes = this.session.takeBytes(this.now());
    if (bytes.length === 0) return;
    this.tap?.sent(bytes, this.now());
    this.connection.write(bytes);
  };

  /** An early timer is harmless: replace it only by an earlier one. */
  private armTimer(): void {
    const atMs = this.session.nextDeadlineMs;
    if (atMs === Number.POSITIVE_INFINITY) {
      clearTimeout(this.timer);
      this.timerAtMs = atMs;
    } else if (atMs < this.timerAtMs) {
      clearTimeout(this.timer);
      this.timerAtMs = atMs;
      const delayMs = Math.min(Math.max(Math.ceil(atMs - this.now()), 1), LONGEST_TIMER_MS);
      this.timer = setTimeout(this.handleTimer, delayMs);
      if (!this.isRef) this.timer.unref();
    }
  }

  /** After a long turn, read the socket first: an answer may wait there. */
  private readonly handleTimer = (): void => {
    if (this.session.hasSlept(this.now())) this.tick();
    else setImmediate(this.tick);
  };

  private readonly tick = (): void => {
    this.timerAtMs = Number.POSITIVE_INFINITY;
    this.session.tick(this.now());
    this.armTimer();
  };
}
