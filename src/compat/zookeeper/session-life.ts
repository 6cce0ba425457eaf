import { EventEmitter } from 'node:events';
import { inspect } from 'node:util';
import type { SessionClient } from '../../client/base/client.js';
import { CONSTANTS } from './constants.js';
import { type Ending, Handle } from './handle.js';
import {
  type Config,
  clientOptions,
  codeOf,
  hexOf,
  isValidPath,
  type Stat,
  statOf,
  type WatchCallback,
  type WatchOf,
} from './values.js';

export type Watch = boolean | WatchCallback;
type ClientStat = Parameters<typeof statOf>[0];

const NO_PASSWORD = '0'.repeat(32);

/** The session of the old client: its configuration, its events, its log, and the way of a call. */
export abstract class SessionLife extends EventEmitter {
  config: Config | undefined;
  /** The encoding of data; null for Buffers. */
  encoding: BufferEncoding | null = null;
  logger: ((...line: readonly unknown[]) => void) | undefined;
  private native: Handle | undefined;

  /** @param config the options, or a connect string */
  constructor(config?: Config | string) {
    super();
    this.config = typeof config === 'string' ? { connect: config } : config;
  }

  /** @param logger true for the console, or a function that gets each line */
  setLogger(logger: boolean | ((...line: readonly unknown[]) => void)): void {
    if (typeof logger === 'function') this.logger = logger;
    else if (logger === true) this.logger = (line) => console.info(`ZOOKEEPER_LOG: ${line}`);
    else if (logger === false) this.logger = undefined;
    else throw new TypeError('logger: wrong type (expected true, false, or a function)');
  }

  log(...line: readonly unknown[]): void {
    this.logger?.(...line);
  }

  /** Opens a session; the event connect follows. @throws Error, TypeError, or RangeError */
  init(config?: Config | string): this {
    const given = typeof config === 'string' ? { connect: config } : config;
    const all: Config = { ...given, ...this.config };
    this.log(`Calling init with ${inspect(all)}`);
    if (all.data_as_buffer !== undefined) this.data_as_buffer = all.data_as_buffer;
    this.native?.close();
    const handle: Handle = new Handle(clientOptions(all), (event, detail) => {
      if (this.native !== handle) return;
      this.log(`Emitting '${event}' with args: ${detail}`);
      this.emit(event, this, detail);
    });
    this.native = handle;
    return this;
  }

  /** init, with a callback for the first connection, or for the end of the session before it. */
  connect(
    options: Config | string | ((error: Error | null, client?: this) => void),
    callback?: (error: Error | null, client?: this) => void,
  ): void {
    const done = typeof options === 'function' ? options : callback;
    if (typeof done !== 'function') throw wrongCallback(done);
    const connected = (): void => settle(null, this);
    const closed = (_client: unknown, code: unknown): void => {
      settle(new Error(`connect: the session ended before a connection: code ${code}`));
    };
    const settle = (error: Error | null, client?: this): void => {
      this.off('connect', connected);
      this.off('close', closed);
      done(error, client);
    };
    this.on('connect', connected);
    this.on('close', closed);
    this.init(typeof options === 'function' ? {} : options);
  }

  /** Closes the session, which deletes its ephemerals; the event close follows. */
  close(): this {
    this.log('Calling close with []');
    this.native?.close();
    return this;
  }

  /** Replaces the servers. @returns ZOK, ZBADARGUMENTS, or ZINVALIDSTATE */
  set_servers(servers: string): number {
    this.log(`Calling set_servers with ${inspect([servers])}`);
    if (this.native === undefined || this.native.state === 0) return CONSTANTS.ZINVALIDSTATE;
    try {
      this.native.session.updateServers(servers);
      return CONSTANTS.ZOK;
    } catch (error) {
      return codeOf(error);
    }
  }

  /** ZOO_CONNECTED_STATE or ZOO_CONNECTING_STATE; 0 before `init` and after the end. */
  get state(): number {
    return this.native?.state ?? 0;
  }

  /** The session timeout in ms, as negotiated; -1 without a session. */
  get timeout(): number {
    return this.native === undefined || this.state === 0
      ? -1
      : this.native.session.sessionTimeoutMs;
  }

  /** The id of the session, in hex. */
  get client_id(): string {
    return hexOf(this.native?.session.sessionId ?? 0n);
  }

  /** 32 digits of hex. */
  get client_password(): string {
    return this.native?.session.sessionPassword.toString('hex').toUpperCase() ?? NO_PASSWORD;
  }

  /** Always 0: the session has ended with the event close before this could change. */
  get is_unrecoverable(): number {
    return 0;
  }

  /** @param value null for Buffers */
  setEncoding(value: BufferEncoding | null): void {
    this.encoding = value;
  }

  get data_as_buffer(): boolean {
    return this.encoding === null;
  }

  set data_as_buffer(isBuffer: boolean) {
    this.encoding = isBuffer ? null : 'utf8';
  }

  /** Logs a call and checks its callback. @throws TypeError */
  protected calling(name: string, callback: unknown, ...args: readonly unknown[]): void {
    if (typeof callback !== 'function') throw wrongCallback(callback);
    if (this.logger !== undefined) this.log(`Calling ${name} with ${inspect([...args, callback])}`);
  }

  protected call<T, A extends readonly unknown[]>(
    path: string,
    send: (to: SessionClient) => Promise<T>,
    ending: Ending<T, A>,
    isSequential = false,
  ): number {
    return this.checked(path, isSequential, (native) => native.call(send, ending));
  }

  protected read<T, A extends readonly unknown[]>(
    path: string,
    send: (to: SessionClient, options: WatchOf) => Promise<T>,
    watch: Watch,
    ending: Ending<T, A>,
  ): number {
    return this.checked(path, false, (native) => native.read(send, watch, ending));
  }

  protected statOf(stat: ClientStat): Stat {
    return statOf(stat, this.native?.session.sessionId ?? 0n);
  }

  private checked(path: string, isSequential: boolean, send: (native: Handle) => number): number {
    if (this.native === undefined || this.state === 0) return CONSTANTS.ZINVALIDSTATE;
    return isValidPath(String(path), isSequential) ? send(this.native) : CONSTANTS.ZBADARGUMENTS;
  }
}

/** @throws TypeError */
export function checkWatch(watch: unknown): WatchCallback {
  if (typeof watch === 'function') return (...event) => watch(...event);
  throw new TypeError(`watcher: wrong type: ${typeof watch} (expected a function)`);
}

function wrongCallback(given: unknown): TypeError {
  return new TypeError(`callback: wrong type: ${typeof given} (expected a function)`);
}
