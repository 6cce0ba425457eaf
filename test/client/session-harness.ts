import type { ClientState, WatchEvent, Watcher } from '../../src/client/base/client.js';
import { formatServerAddress, type ServerAddress } from '../../src/client/base/connect-string.js';
import { makeRequest, type Operation, type Request } from '../../src/client/session/request.js';
import { Session } from '../../src/client/session/session.js';
import type { SessionEffects, SessionOptions } from '../../src/client/session/session-contract.js';

// Bytes are built by hand, so that a mistake shared by the client's writers and readers shows.

export function int(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

export function long(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(value);
  return bytes;
}

export function byte(value: number): Buffer {
  return Buffer.from([value]);
}

export function bytes(value: string | null): Buffer {
  if (value === null) return int(-1);
  const body = Buffer.from(value);
  return Buffer.concat([int(body.length), body]);
}

export function list(...values: string[]): Buffer {
  return Buffer.concat([int(values.length), ...values.map(bytes)]);
}

export function frame(...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([int(body.length), body]);
}

export function reply(xid: number, zxid: bigint, err: number, ...body: Buffer[]): Buffer {
  return frame(int(xid), long(zxid), int(err), ...body);
}

export function event(type: number, path: string, zxid = -1n): Buffer {
  return frame(int(-1), long(zxid), int(0), int(type), int(3), bytes(path));
}

export const PASSWORD = '0123456789abcdef';

export interface WelcomeOptions {
  readonly timeoutMs?: number;
  readonly sessionId?: bigint;
  readonly isReadOnly?: boolean;
  /** As servers before 3.4 answer. */
  readonly isShort?: boolean;
}

export function welcome(options: WelcomeOptions = {}): Buffer {
  const { timeoutMs = 9000, sessionId = 0x77n, isReadOnly = false, isShort = false } = options;
  const parts = [int(0), int(timeoutMs), long(sessionId), bytes(PASSWORD)];
  if (!isShort) parts.push(byte(isReadOnly ? 1 : 0));
  return frame(...parts);
}

export function hello(lastZxid: bigint, sessionId: bigint, password: string | null): Buffer {
  return frame(
    int(0),
    long(lastZxid),
    int(9000),
    long(sessionId),
    password === null ? Buffer.concat([int(16), Buffer.alloc(16)]) : bytes(password),
    byte(0),
  );
}

/** A Stat of 68 bytes, all zero except its version. */
export function stat(version = 0): Buffer {
  const body = Buffer.alloc(68);
  body.writeInt32BE(version, 32);
  return body;
}

/** A list of two servers. */
export const TWO = [
  { host: 'a', port: 1 },
  { host: 'b', port: 2 },
];

/** An operation with only a path, for tests that check the order of events. */
export const PATH_ONLY: Operation<string, string> = {
  code: 9,
  write: (out, path) => out.writeString(path),
  read: (input) => input.readString() ?? '',
};

/** A session whose effects are recorded instead of performed, with a clock that the test sets. */
export class SessionHarness implements SessionEffects {
  readonly session: Session;
  /** The events, in order: "connect a:1", "state connected", "ok /a", "NONODE /b", … */
  readonly log: string[] = [];
  now = 0;
  isWriteWanted = false;

  constructor(options: Partial<SessionOptions> = {}) {
    this.session = new Session(
      {
        servers: [{ host: 'a', port: 1 }],
        chroot: '',
        sessionTimeoutMs: 9000,
        connectTimeoutMs: 6000,
        connectRounds: Number.POSITIVE_INFINITY,
        isUnknownHostFinal: false,
        requestTimeoutMs: 0,
        canBeReadOnly: false,
        shouldResetWatches: true,
        maxFrameLength: 1000,
        random: () => 1,
        ...options,
      },
      this,
    );
  }

  connect(server: ServerAddress): void {
    this.log.push(`connect ${formatServerAddress(server)}`);
  }
  disconnect(): void {
    this.log.push('disconnect');
  }
  wantWrite(): void {
    this.isWriteWanted = true;
  }
  changeState(state: ClientState, reason: Error | undefined): void {
    this.log.push(reason === undefined ? `state ${state}` : `state ${state}: ${reason.message}`);
  }
  renewed(previousSessionId: bigint): void {
    this.log.push(`renewed ${previousSessionId}`);
  }
  deliver({ type, path, zxid }: WatchEvent, watchers: ReadonlySet<Watcher>): void {
    this.log.push(`${type} ${path} ${zxid} to ${watchers.size}`);
  }

  /** The events since the last call. */
  takeLog(): string[] {
    return this.log.splice(0);
  }

  /** Takes and returns the pending bytes of the session. */
  takeBytes(): Buffer {
    this.isWriteWanted = false;
    return this.session.takeBytes(this.now);
  }

  receive(...frames: Buffer[]): void {
    this.session.handleBytes(Buffer.concat(frames), this.now);
  }

  tick(now: number): void {
    this.now = now;
    this.session.tick(now);
  }

  /** Connects, completes the handshake, and clears the events. */
  establish(options: WelcomeOptions = {}): void {
    this.session.start(this.now);
    this.session.handleConnected(this.now);
    this.takeBytes();
    this.receive(welcome(options));
    this.takeLog();
  }

  /** Makes a request that records its outcome. */
  ask(path: string, watch?: { operation: Operation<string, string>; watcher?: Watcher }): Request {
    const operation = watch?.operation ?? PATH_ONLY;
    const request = makeRequest(
      operation,
      path,
      path,
      (value) => this.log.push(`ok ${path} ${value}`),
      (error) => {
        this.log.push(`${'code' in error ? error.code : error.name} ${path}`);
      },
      watch === undefined ? undefined : { path, watcher: watch.watcher ?? (() => {}) },
    );
    this.session.submit(request, this.now);
    return request;
  }

  addAuth(scheme: string, auth: string): void {
    this.session.addAuth(
      scheme,
      Buffer.from(auth),
      () => this.log.push(`auth ok ${auth}`),
      (error) => this.log.push(`auth ${'code' in error ? error.code : error.name} ${auth}`),
    );
  }
}

/** The bytes of a PATH_ONLY request. */
export function request(xid: number, path: string, code = 9): Buffer {
  return frame(int(xid), int(code), bytes(path));
}
