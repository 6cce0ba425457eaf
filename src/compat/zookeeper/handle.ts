import type { ClientState, SessionClient, WatchEvent } from '../../client/base/client.js';
import type { ClientOptions } from '../../client/base/client-options.js';
import { createClient } from '../../client/zookeeper.js';
import { EventType } from '../../protocol/watch-event.js';
import { CONSTANTS, errorText } from './constants.js';
import { codeOf, type WatchCallback, type WatchOf } from './values.js';

/** Gets the code, its text, and the results. */
export type Callback<A extends readonly unknown[]> = (
  code: number,
  text: string,
  ...results: A
) => void;

/** How a call ends: its callback, what it gets after a failure, and after an answer. */
export interface Ending<T, A extends readonly unknown[]> {
  readonly callback: Callback<A>;
  readonly failed: A;
  readonly answered: (value: T) => readonly [code: number, ...results: A];
}

const STATES: Readonly<Record<ClientState, number>> = {
  connecting: CONSTANTS.ZOO_CONNECTING_STATE,
  connected: CONSTANTS.ZOO_CONNECTED_STATE,
  'connected-readonly': CONSTANTS.ZOO_CONNECTED_STATE,
  disconnected: CONSTANTS.ZOO_CONNECTING_STATE,
  expired: 0,
  'auth-failed': 0,
  closed: 0,
};

const WATCH_EVENTS: Readonly<Partial<Record<WatchEvent['type'], string>>> = {
  NodeCreated: CONSTANTS.on_event_created,
  NodeDeleted: CONSTANTS.on_event_deleted,
  NodeDataChanged: CONSTANTS.on_event_changed,
  NodeChildrenChanged: CONSTANTS.on_event_child,
};

/** A watch of a callback that has not fired. */
interface ArmedWatch {
  readonly callback: WatchCallback;
  hasFired: boolean;
}

/** One session, with the codes, the callbacks, and the events of Apache's C client. */
export class Handle {
  readonly session: SessionClient;
  private readonly emit: (event: string, detail: string | number) => void;
  private readonly armed = new Set<ArmedWatch>();
  private readonly pending = new Set<(code: number) => void>();
  private isOpen = true;

  /** @param emit gets the events of the old package */
  constructor(options: ClientOptions, emit: (event: string, detail: string | number) => void) {
    this.emit = emit;
    this.session = createClient(options);
    this.session.on('state', (state) => this.changed(state));
    this.session.on('watch', ({ type, path }) => {
      const event = WATCH_EVENTS[type];
      if (event !== undefined && this.isOpen) this.emit(event, path);
    });
    // The events report a failure.
    this.session.connect().catch(() => undefined);
  }

  /** 0 after the end of the session. */
  get state(): number {
    return this.isOpen ? STATES[this.session.state] : 0;
  }

  /**
   * Sends a request.
   * @returns ZOK, or ZINVALIDSTATE after the end of the session: then no callback comes
   */
  call<T, A extends readonly unknown[]>(
    send: (session: SessionClient) => Promise<T>,
    ending: Ending<T, A>,
  ): number {
    if (!this.isOpen) return CONSTANTS.ZINVALIDSTATE;
    const { callback, failed, answered } = ending;
    const end = (code: number, results: A): void => {
      if (!this.pending.delete(abort)) return;
      safely(() => callback(code, errorText(code), ...results));
    };
    const abort = (code: number): void => end(code, failed);
    this.pending.add(abort);
    send(this.session).then(
      (value) => {
        const [code, ...results] = answered(value);
        end(code, results);
      },
      (error: unknown) => abort(codeOf(error)),
    );
    return CONSTANTS.ZOK;
  }

  /**
   * A call that sets a watch.
   * @param watch whether the main watcher gets the event, or the callback that gets it
   */
  read<T, A extends readonly unknown[]>(
    send: (session: SessionClient, options: WatchOf) => Promise<T>,
    watch: boolean | WatchCallback,
    ending: Ending<T, A>,
  ): number {
    if (typeof watch === 'boolean') return this.call((each) => send(each, { watch }), ending);
    const entry: ArmedWatch = { callback: watch, hasFired: false };
    const options: WatchOf = { watch: (event) => this.fire(entry, event) };
    const answered = (value: T) => {
      if (!entry.hasFired) this.armed.add(entry);
      return ending.answered(value);
    };
    return this.call((each) => send(each, options), { ...ending, answered });
  }

  /** Requests in flight get ZCLOSING now; `close` comes after the server's answer. */
  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.abortAll(CONSTANTS.ZCLOSING);
    this.session.close().catch(() => undefined);
  }

  private fire(entry: ArmedWatch, { type, path }: WatchEvent): void {
    entry.hasFired = true;
    this.armed.delete(entry);
    if (this.isOpen) safely(() => entry.callback(EventType[type], this.state, path));
  }

  private changed(state: ClientState): void {
    if (state === 'connected') {
      this.tellWatchers(CONSTANTS.ZOO_CONNECTED_STATE);
      this.emit(CONSTANTS.on_connected, '');
    } else if (state === 'disconnected') {
      this.tellWatchers(CONSTANTS.ZOO_CONNECTING_STATE);
      this.emit(CONSTANTS.on_connecting, '');
    } else if (state === 'expired') {
      this.end(CONSTANTS.ZSESSIONEXPIRED, CONSTANTS.ZOO_EXPIRED_SESSION_STATE);
    } else if (state === 'auth-failed') {
      this.end(CONSTANTS.ZAUTHFAILED, CONSTANTS.ZOO_AUTH_FAILED_STATE);
    } else if (state === 'closed') {
      this.end(CONSTANTS.ZCLOSING, CONSTANTS.ZOK);
    }
  }

  private end(code: number, detail: number): void {
    this.isOpen = false;
    this.abortAll(code);
    this.armed.clear();
    this.emit(CONSTANTS.on_closed, detail);
  }

  private abortAll(code: number): void {
    for (const abort of [...this.pending]) abort(code);
  }

  private tellWatchers(state: number): void {
    for (const { callback } of [...this.armed]) {
      safely(() => callback(CONSTANTS.ZOO_SESSION_EVENT, state, ''));
    }
  }
}

/** An exception of a callback is an uncaught one. It must not stop the other callbacks. */
function safely(work: () => void): void {
  try {
    work();
  } catch (error) {
    process.nextTick(() => {
      throw error;
    });
  }
}
